// All plugins of the process: who is there, who may work for which site, who misbehaves. A watchdog thread looks
// whether calls come back, feeds the timer hook and passes on what is new in the memory. Calls from the traffic go
// through proxy/plugin_exchange.
//
// A call that never comes back cannot be ended. On a thread of the plugin's own it is given up: those who wait go on
// without it, and only that thread is lost. On an I/O thread (plugins that are built in, unless plugins.isolate =
// "all") it holds up the connections of that thread; then all that can be done is to say so and to call it no more.
#pragma once

#include "base/config.hpp"
#include "base/siphash.hpp"
#include "plugins/api/plugin_control.hpp"
#include "proxy/framed_pages.hpp"
#include "proxy/page_head.hpp"
#include "proxy/plugin_record.hpp"
#include "proxy/plugin_settings.hpp"
#include "proxy/plugin_store.hpp"
#include "proxy/plugin_switches.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>
#include <vector>

namespace outrider {

class PluginHost final : public PluginControl {
 public:
  struct Source {
    std::shared_ptr<Plugin> plugin;
    std::string origin;  // "built in", or the file
    bool loaded = false;
  };
  struct Refused {
    std::string origin, reason;
  };
  struct Ports {
    const Clock* clock = &Clock::system();
    Memory* memory = nullptr;
    std::shared_ptr<StoredCopies> copies{};
    // What happened to everybody, for on_node and on_visit; without it they are not called. Plugins do not get it: they
    // are told, one event at a time, and the event says whose it is.
    std::function<Result<std::vector<MemoryEvent>>(EventCursor after, std::size_t limit)> news{};
  };

  PluginHost(const PluginSettings& settings, std::filesystem::path data_directory, Metrics& metrics, Ports ports);
  ~PluginHost() override;

  // Before start(). Names must differ; a second plugin of a name is refused, and so is one that throws.
  void add(Source source);
  void note_refused(Refused refused);
  // `robot` may be nullptr. It is told through proxy/plugin_robot and must end its thread before stop().
  void start(const Config& config, Robot* robot = nullptr);
  void reload(const Config& config);
  // Ends what can be ended. False: a thread is lost in a plugin, and the process must end without waiting for it.
  bool stop();
  bool lost() const;  // a thread is

  // Is there anybody to call? One relaxed load.
  bool wants(Hook hook) const { return (wanted_.load(std::memory_order_relaxed) & static_cast<unsigned>(hook)) != 0; }
  bool wants_traffic() const { return wants(Hook::request) || wants(Hook::response) || wants(Hook::page); }
  using Records = std::vector<PluginRecord*>;
  Records select(Hook hook, std::string_view host) const;  // running, switched on for the host, in order
  PluginRecord* find(std::string_view name) const;
  const PluginResource* resource(std::string_view path) const;  // "NAME/FILE"; whether switched on or not
  const PluginAnswer* document(std::string_view path) const;    // "NAME/FILE": one that is the same for everybody
  // Never 0 for some. A page can read its own mark: to others than this process it says nothing about plugins and their
  // settings, and two sites cannot tell by it that their reader is the same.
  PageMark mark_of(const Records& records, std::string_view host) const;

  UnchangedPages& unchanged() { return unchanged_; }
  FramedPages& framed() { return framed_; }

  // PluginControl
  boost::json::array list() const override;
  Result<void> turn(std::string_view plugin, std::string_view site, bool on) override;
  Result<void> forget_site(std::string_view plugin, std::string_view site) override;
  Result<boost::json::object> card(std::string_view plugin) override;
  boost::json::object events(std::uint64_t cursor) const override;

  // While it lives, the calling thread is inside these plugins: for the watchdog. I/O threads only.
  class Inside {
   public:
    Inside(PluginHost& host, PluginRecord* record);
    ~Inside();
    void now_in(PluginRecord* record);  // of several: this one

   private:
    std::size_t slot_;
    PluginHost& host_;
  };

 private:
  struct Entry;
  struct Slot {
    std::atomic<PluginRecord*> record{nullptr};
    std::atomic<SteadyTime::rep> since{0};
  };
  static constexpr std::size_t kSlots = 64;
  static constexpr std::size_t kEventsKept = 256;

  void take_in(Source source);
  void note_wanted();
  void configure(PluginRecord& record, const Config& config);
  void watch();
  void call_timers();
  void look_for_hangs();
  bool pass_on_memory_events();
  bool pass_on_memory_events(Entry& entry);
  void publish(const std::string& plugin, std::string_view kind, boost::json::object data);

  const PluginSettings settings_;
  const std::filesystem::path folder_;
  Metrics& metrics_;
  const Ports ports_;
  PluginSwitches switches_;
  const SipKey mark_key_ = SipKey::random();
  std::vector<std::unique_ptr<Entry>> entries_;                   // fixed after start()
  std::map<std::string, PluginResource, std::less<>> resources_;  // fixed after start()
  std::map<std::string, PluginAnswer, std::less<>> documents_;    // fixed after start()
  std::vector<Refused> refused_;
  std::atomic<unsigned> wanted_{0};
  std::array<Slot, kSlots> slots_;
  UnchangedPages unchanged_;
  FramedPages framed_;

  mutable std::mutex events_mutex_;
  std::deque<boost::json::object> events_;
  std::uint64_t last_event_ = 0;

  std::mutex watch_mutex_;
  std::condition_variable watch_changed_;
  bool started_ = false, stopping_ = false;
  std::shared_ptr<void> memory_subscription_;
  std::atomic<bool> memory_news_{false};
  std::thread watchdog_;
};

}  // namespace outrider
