// Whether a file is on a file system that is memory itself (tmpfs). Reading it never waits for a disk, and it cannot be
// asked to read without waiting (RWF_NOWAIT): it refuses.
#pragma once

#include <linux/magic.h>
#include <sys/vfs.h>

namespace outrider {

inline bool is_memory_file(int fd) {
  struct statfs system {};
  return ::fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

}  // namespace outrider
