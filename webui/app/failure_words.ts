// What went wrong with an exchange, as Outrider's own pages about failures put it (proxy/failure_words.cpp).
// By the types of RFC 9209 section 2.3, and the names of ErrorKind for what has none.
const words: Record<string, string> = {
  http_request_error: "the request could not be understood", dns_error: "the name could not be found", dns_timeout: "the name server gave no answer",
  connection_refused: "the site does not accept connections", destination_ip_unroutable: "the site cannot be reached", connection_timeout: "the site does not answer",
  tls_protocol_error: "no secure connection to the site", tls_certificate_error: "the site cannot prove who it is", http_response_timeout: "the site took too long to answer",
  connection_terminated: "the site hung up", http_response_incomplete: "the site stopped in the middle of its answer", http_protocol_error: "the site sent an answer that makes no sense",
  http_response_header_section_size: "the site sent too many header fields", http_response_body_size: "the answer is too large", destination_unavailable: "the next proxy cannot be used",
  http_request_denied: "this proxy does not allow it", destination_ip_prohibited: "this proxy does not connect to that address", proxy_loop_detected: "the request runs in a circle",
  not_stored: "only a stored copy was asked for, or Outrider is offline, and there is none", cancelled: "the request was given up",
  connection_limit_reached: "the proxy is busy", proxy_internal_error: "something went wrong inside the proxy",
};

export const failureInWords = (type: string): string => words[type] ?? type.replace(/_/g, " ");
