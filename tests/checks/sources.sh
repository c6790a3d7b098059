# shellcheck shell=bash
# Which files the checks look at: what git tracks or would track; without git, everything outside build folders.
# The caller has changed to the top folder of the project.

all_files() {
  git ls-files --cached --others --exclude-standard 2>/dev/null ||
    find . -type f -not -path './build/*' -not -path './.git/*' -not -path '*/node_modules/*' -printf '%P\n'
}

# Files that are tracked but deleted in the work tree are left out.
existing() { while IFS= read -r file; do if [[ -f $file ]]; then printf '%s\n' "$file"; fi; done; }

cpp_sources() { all_files | grep -E '\.(cpp|hpp)$' | existing; }

shell_scripts() {
  all_files | existing | while IFS= read -r file; do
    if [[ $file == *.sh ]] || head -c 64 "$file" | head -n 1 | grep -aqE '^#!.*\b(ba)?sh\b'; then printf '%s\n' "$file"; fi
  done
}
