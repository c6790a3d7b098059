#include "webui/state_json.hpp"

#include "webui/paging.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

template <typename Wanted>
json::array settings_where(const SettingsControl& settings, Wanted wanted) {
  json::array list;
  for (const json::key_value_pair& setting : settings.all()) {
    if (!wanted(setting.key())) continue;
    json::object entry{{"key", setting.key()}};
    for (const json::key_value_pair& fact : setting.value().as_object()) entry[fact.key()] = fact.value();
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

json::object onboarding_json(const TlsControl& tls, WallTime now) {
  const TlsState state = tls.state(now);
  return {{"intercept", state.mode},
          {"fixed", state.fixed},
          {"opens_https", state.accepted},
          {"authority", json::object{{"name", state.authority},
                                     {"fingerprint", state.fingerprint},
                                     {"warning", state.warning},
                                     {"certificate", "/ca.pem"}}},
          {"proxy_addresses", json::array(state.addresses.begin(), state.addresses.end())},
          {"pac", "/proxy.pac"}};
}

json::array pinned_json(const TlsControl& tls, WallTime now) {
  json::array entries;
  for (const PinnedHost& entry : tls.pinned(now))
    entries.push_back(json::object{{"host", entry.host},
                                   {"client", entry.client},
                                   {"reason", entry.reason},
                                   {"since", shown(entry.since)},
                                   {"until", shown(entry.until)}});
  return entries;
}

json::array settings_json(const SettingsControl& settings) {
  return settings_where(settings, [](std::string_view) { return true; });
}

json::array settings_json(const SettingsControl& settings, const std::vector<std::string>& keys) {
  return settings_where(settings,
                        [&](std::string_view key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); });
}

json::object json_of(const log::Record& record) {
  return {{"number", record.number},      {"at", shown(record.time)}, {"level", name_of(record.level)},
          {"room", name_of(record.room)}, {"event", record.event},    {"fields", record.fields}};
}

json::object merge_patch(const json::object& before, const json::object& after) {
  json::object patch;
  for (const json::key_value_pair& member : after) {
    const json::value* known = before.if_contains(member.key());
    if (known != nullptr && *known == member.value()) continue;
    if (known != nullptr && known->is_object() && member.value().is_object()) {
      patch[member.key()] = merge_patch(known->get_object(), member.value().get_object());
    } else {
      patch[member.key()] = member.value();
    }
  }
  for (const json::key_value_pair& member : before)
    if (!after.contains(member.key())) patch[member.key()] = nullptr;
  return patch;
}

}  // namespace outrider::webui
