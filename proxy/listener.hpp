// Accepts client connections on one address for one I/O thread. With several threads each has its own socket on the
// same address (SO_REUSEPORT) and the kernel spreads the connections.
#pragma once

#include "base/async.hpp"
#include "proxy/io_worker.hpp"

#include <memory>

namespace outrider {

class Listener {
 public:
  // Bound and listening when this returns. `first`: of those that share this port. Failure: io, with the address and
  // what to do.
  static Result<std::unique_ptr<Listener>> bind(IoWorker& worker, const tcp::endpoint& endpoint, bool share_port,
                                                bool first);
  // Takes over a listening socket (socket activation).
  static Result<std::unique_ptr<Listener>> adopt(IoWorker& worker, int descriptor);

  void start();  // on the worker's thread
  void stop();   // on the worker's thread
  const tcp::endpoint& endpoint() const { return endpoint_; }
  const IoWorker& worker() const { return worker_; }

 private:
  Listener(IoWorker& worker, TcpAcceptor acceptor);  // takes its socket
  Task<> accept_loop();
  int accept_waiting();
  void greet(int socket, const tcp::endpoint& peer);
  Task<> see_out(std::shared_ptr<Stream> client);  // who has been told why not

  IoWorker& worker_;
  tcp::endpoint endpoint_;
  ReadySocket socket_;
};

}  // namespace outrider
