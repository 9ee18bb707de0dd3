"""The shortest way to the doors: what respondents' devices send by the thousand passes by no other route.

A door's own pattern and endpoint are used as they are, so that nothing is said twice; whatever is not a POST to a door
goes the usual way, through all routes and middleware.
"""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from deniable.errors import StoreDown, UnknownSurvey
from deniable.web.respond import broken, store_down, unknown_survey


class Shortcut:
    """An application whose doors, among these routes, are tried first."""

    def __init__(self, app: Starlette, routes: Sequence[Route]) -> None:
        self._app = app
        self._doors = [route for route in routes if "POST" in (route.methods or ())]

    @property
    def routes(self) -> list[BaseRoute]:
        """All routes, doors and others."""
        return self._app.routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] == "http" and scope["method"] == "POST":
            for route in self._doors:
                if found := route.path_regex.match(scope["path"]):
                    scope.update(app=self._app, path_params=found.groupdict())
                    request = Request(scope, receive)
                    try:
                        response = await route.endpoint(request)
                    except StoreDown as error:
                        response = store_down(request, error)
                    except UnknownSurvey as error:
                        response = await unknown_survey(request, error)
                    except Exception:
                        await broken()(scope, receive, send)
                        raise
                    if response.status_code >= 400:
                        self._app.state.site.refused[response.status_code] += 1
                    await response(scope, receive, send)
                    return
        await self._app(scope, receive, send)
