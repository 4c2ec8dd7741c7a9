"""What /metrics says: requests by route and status, their seconds, open streams."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import Scope

REGISTRY = CollectorRegistry()
_requests = Counter("sourcebook_requests_total", "Requests by method, route and status.", ["method", "route", "status"], registry=REGISTRY)
_seconds = Histogram("sourcebook_request_seconds", "Seconds from the request to its last byte.", ["route"], registry=REGISTRY)
streams = Gauge("sourcebook_open_streams", "Answer streams and live feeds that are open.", ["kind"], registry=REGISTRY)
uploaded = Counter("sourcebook_uploaded_bytes_total", "Bytes of files taken in.", registry=REGISTRY)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def served(scope: Scope, status: int, seconds: float) -> None:
    """Count one request. The route is its template, so that ids do not become labels."""
    route = getattr(scope.get("route"), "path", None) or "other"
    method = scope["method"] if scope["method"] in _METHODS else "other"
    _requests.labels(method, route, str(status)).inc()
    _seconds.labels(route).observe(seconds)
