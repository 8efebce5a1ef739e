// /v1/auth: the dimensions of a request that a proxy asks about, out of the headers that it sends.
#pragma once

#include <string_view>

#include "weir/base/result.h"
#include "weir/policy/policy.h"
#include "weir/server/http/check_reader.h"
#include "weir/server/http/head.h"

namespace weir::server {

inline constexpr std::string_view kAuthPath = "/v1/auth";

/// How a denial is told.
struct AuthAnswer {
  int deny_status = 429;
};

/// Puts one request behind what is in the queue, which an error leaves as it was. `peer` is the address of
/// who asks: the proxy. Views of `request` go into the queue.
///
/// /v1/auth itself: endpoint and method are those of X-Original-URI and X-Original-Method (nginx) or of
/// X-Forwarded-Uri and X-Forwarded-Method (Traefik, Caddy); the query is ours: deny=STATUS, cost=N, and
/// NAME=HEADER for each dimension that a header names, `max_dimensions` parameters in all. Behind that path
/// (/v1/auth/login, Envoy): the rest of the path is the endpoint, the request's method the method, and the
/// query the client's, which has no say.
Result<AuthAnswer> read_auth(const HttpRequest& request, std::string_view peer, const Policy& policy,
                             std::size_t max_dimensions, RequestQueue& queue);

}  // namespace weir::server
