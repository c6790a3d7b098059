// What commands ask of a running Outrider: its API, with the token of its data directory. Where none runs, what is on
// disk can be looked at all the same: the same questions get the same answers, from the same code.
#pragma once

#include "base/error.hpp"
#include "proxy/cli/configuration.hpp"

#include <boost/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::cli {

class ApiClient {
 public:
  void add_to(const Command& command);  // --config, --set, --data, --address

  // The JSON of the answer. A failure says what a person should read.
  Result<boost::json::value> ask(std::string_view method, const std::string& path, const std::string& body = "") const;
  bool somebody_there() const;  // an Outrider runs on this data
  const ConfigOptions& config() const { return config_; }
  const std::optional<std::string>& data() const { return data_; }
  // A stream of events, until one of the two says false or the other side ends. `on_idle` is called several times a
  // second.
  Result<void> follow(const std::string& path,
                      const std::function<bool(std::string_view kind, const boost::json::value&)>& on_event,
                      const std::function<bool()>& on_idle) const;
  // GET; of the memory on disk if no Outrider runs.
  Result<boost::json::value> look(const std::string& path) const;

 private:
  struct Place;
  Result<Place> place() const;
  Result<boost::json::value> ask(const Place& place, std::string_view method, const std::string& path,
                                 const std::string& body, bool& nobody_there) const;

  ConfigOptions config_;
  std::optional<std::string> data_;
  std::optional<std::string> address_;
};

// For a query string.
std::string url_encoded(std::string_view text);

}  // namespace outrider::cli
