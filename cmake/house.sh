# shellcheck shell=bash
# What ./run, ./test and the scripts under tests/ have in common: talking, installing what is missing, building a preset.
# The caller has `set -euo pipefail` and sets `root`, the top folder of the project.
: "${root:?}"

# shellcheck source=cmake/packages.sh
source "$root/cmake/packages.sh"

# To stderr: what the program started by ./run prints is left alone on stdout.
say() { printf '%s\n' "$*" >&2; }
complain() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# ---- packages ----------------------------------------------------------------------------------------------------------------

# Also by a package of another name: who has Node.js from elsewhere has npm with it.
is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ||
    dpkg-query -W -f '${db:Status-Status} ${Provides},\n' 2>/dev/null |
    grep -E "^installed (.*, )?$1( \([^)]*\))?," >/dev/null # not -q: dpkg-query would be cut off, and that is a failure
}

# shellcheck disable=SC2086
packages_of() { local list="packages_$1"; echo ${!list}; } # unquoted: in one line

# Prints those packages of a group that are not installed.
missing_of() {
  local package
  for package in $(packages_of "$1"); do
    is_installed "$package" || echo "$package"
  done
}

# as_root LOG COMMAND...: what the command says goes to LOG.
# shellcheck disable=SC2024  # the log is ours, only the command is root's
as_root() {
  local log=$1
  shift
  if [[ $EUID -eq 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null
  elif [[ -t 0 ]]; then # sudo may ask for the password
    sudo env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null
  fi
}

# A fresh machine often refreshes its package lists at this very moment: wait up to 5 minutes, as apt-get itself does for the
# lock of dpkg (but not for this one).
refresh_package_lists() {
  local log=$1 give_up=$((SECONDS + 300))
  until as_root "$log" apt-get update -qq; do
    if ! grep -q 'lists/lock' "$log" || ((SECONDS >= give_up)); then return 1; fi
    sleep 5
  done
}

# install_packages GROUP...: installs what is missing of these groups and says what and why. Touches neither network nor
# privileges when nothing is missing.
install_packages() {
  local group missing why needed=() optional=() report=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    complain "this is not a Debian system, so packages cannot be installed. Needed are the equivalents of these packages of Debian 12:"
    for group in "$@"; do printf '  %s\n' "$(packages_of "$group")" >&2; done
    complain "with them in place, use --no-install"
    return 1
  fi
  for group in "$@"; do
    missing=$(missing_of "$group")
    missing=${missing//$'\n'/ }
    [[ -n $missing ]] || continue
    why="why_$group"
    report+=("  ${!why}: $missing")
    # Word splitting is wanted: a list of package names.
    # shellcheck disable=SC2206
    if [[ $group == faster ]]; then optional+=($missing); else needed+=($missing); fi
  done
  ((${#needed[@]})) || return 0

  say "Installing what is missing:"
  printf '%s\n' "${report[@]}" >&2
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    complain "installing needs root, and there is no sudo. Ask an administrator to run:"
    complain "  apt-get install --no-install-recommends ${needed[*]}"
    return 1
  fi
  local log status=0
  log=$(mktemp)
  if ! refresh_package_lists "$log"; then
    cat "$log" >&2
    complain "the package lists could not be refreshed; trying with those that are there"
  fi
  as_root "$log" apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
    "${needed[@]}" "${optional[@]}" || status=1
  if ((status)); then
    cat "$log" >&2
    complain "could not be installed (Outrider is built on Debian 12): ${needed[*]}"
  fi
  rm -f "$log"
  return "$status"
}

# ---- building ----------------------------------------------------------------------------------------------------------------

# Compiler jobs: one per core, but no more than memory allows (a file full of coroutines takes more than 1 GB).
build_jobs() {
  local cores memory_gb jobs
  cores=$(nproc)
  memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null) || true
  jobs=$((${memory_gb:-2} * 2 / 3))
  ((jobs < cores)) || jobs=$cores
  ((jobs >= 1)) || jobs=1
  echo "$jobs"
}

# Seconds as "4 s" or "3 min 20 s".
duration() {
  if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}

# On a terminal: shows ninja's progress in one line that is wiped at the end.
show_progress() {
  local line width
  [[ -t 2 ]] || { cat >/dev/null; return 0; }
  width=$(tput cols 2>/dev/null || echo 80)
  while IFS= read -r line; do
    if [[ $line == \[* ]]; then printf '\r\033[K%.*s' "$((width - 1))" "$line" >&2; fi
  done
  printf '\r\033[K' >&2
}

# A build folder that was moved or copied cannot be configured again, only anew.
is_configured_here() { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/$1/CMakeCache.txt" 2>/dev/null; }

# Ninja configures again by itself when a CMake file changed, but knows nothing of the presets.
needs_configuring() {
  ! is_configured_here "$1" || [[ ! -f $root/build/$1/build.ninja || $root/CMakePresets.json -nt $root/build/$1/build.ninja ]]
}

# configure PRESET: quiet unless it fails.
configure() {
  local preset=$1 folder=$root/build/$1 fresh=()
  mkdir -p "$folder"
  is_configured_here "$preset" || fresh=(--fresh)
  if (cd "$root" && cmake "${fresh[@]}" --preset "$preset") >"$folder/configure.log" 2>&1; then return 0; fi
  cat "$folder/configure.log" >&2
  complain "configuring the preset $preset failed (log above)"
  return 1
}

# build PRESET [TARGET...]: one line when it works, the full log when it does not.
build() {
  local preset=$1 folder=$root/build/$1 start=$SECONDS
  shift
  local command=(cmake --build "$folder" -j "$(build_jobs)")
  (($# == 0)) || command+=(--target "$@")
  if NINJA_STATUS="[%f/%t] " "${command[@]}" 2>&1 | tee "$folder/build.log" | show_progress; then
    grep -q 'ninja: no work to do' "$folder/build.log" || say "build $preset: done in $(duration $((SECONDS - start)))"
    return 0
  fi
  # Ninja repeats the failing commands' output where they failed; the progress lines around them say nothing.
  grep -v '^\[[0-9]*/[0-9]*\] [BGLR]' "$folder/build.log" >&2 || cat "$folder/build.log" >&2
  complain "building the preset $preset failed (log above, and in build/$preset/build.log)"
  return 1
}
