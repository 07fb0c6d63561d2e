"""A headless Chromium that does what it is told; Debian has it as chromium and chromium-driver.

What is sent is the WebDriver protocol, https://www.w3.org/TR/webdriver2: a few lines of HTTP.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_SECONDS = 120
_KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Left": "\ue012",
    "Right": "\ue014",
    "Home": "\ue011",
    "End": "\ue010",
}
"""What the protocol calls keys that have no letter."""
_OPEN = build_opener(ProxyHandler({})).open


def programs() -> tuple[str, str] | None:
    """The paths of Chromium and of its driver; `None` where one is missing."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """A browser with one window."""

    def __init__(self, browser: str, driver: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hybridonnx-browser")
        self._log = Path(self._folder.name, "driver.log")
        with self._log.open("w") as log:
            self._driver = subprocess.Popen([driver, "--port=0"], stdout=log, stderr=subprocess.STDOUT)
        try:
            self._url = f"http://127.0.0.1:{self._port()}/session"
            arguments = ["--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
            arguments += ["--disable-dev-shm-usage", f"--user-data-dir={self._folder.name}/profile"]
            arguments += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            options = {"binary": browser, "args": arguments}
            logs = {"browser": "ALL", "performance": "ALL"}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": logs}
            session = self._call("POST", "", capabilities={"alwaysMatch": wanted})
            self._url += f"/{session['sessionId']}"
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the browser and its driver."""
        with contextlib.suppress(OSError, AttributeError, RuntimeError):
            self._call("DELETE", "")
        self._driver.terminate()
        self._driver.wait(_SECONDS)
        self._folder.cleanup()

    def open(self, path: Path) -> None:
        """Show a file, and forget what was logged before."""
        self.logged("browser"), self.logged("performance")
        self._call("POST", "/url", url=path.resolve().as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns."""
        return self._call("POST", "/execute/sync", script=script, args=list(arguments))

    def click(self, selector: str) -> None:
        """Click on the first element that there is."""
        self._call("POST", f"/element/{self._find(selector)}/click")

    def type(self, selector: str, *texts: str) -> None:
        """Write into an element; `Enter` and the like are keys."""
        text = "".join(_KEYS.get(text, text) for text in texts)
        self._call("POST", f"/element/{self._find(selector)}/value", text=text)

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        values = [_KEYS.get(key, key) for key in keys]
        steps = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", actions=[{"type": "key", "id": "keys", "actions": steps}])

    def point(self, selector: str, part: float) -> None:
        """Move the pointer over an element, to this part of its width."""
        box = self.run(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [b.left + b.width * arguments[1], b.top + b.height / 2];",
            selector,
            part,
        )
        x, y = map(round, box)
        step = {"type": "pointerMove", "duration": 0, "x": x, "y": y}
        self._call("POST", "/actions", actions=[{"type": "pointer", "id": "pointer", "actions": [step]}])

    def texts(self, selector: str) -> list[str]:
        """What is visible in all such elements."""
        script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.innerText)"
        return list(self.run(script, selector))

    def logged(self, kind: str) -> list[Any]:
        """What was logged since this was asked before."""
        return list(self._call("POST", "/se/log", type=kind))

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.logged("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def resize(self, width: int, height: int) -> None:
        """Give the page this size, however small."""
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def media(self, kind: str = "", **features: str) -> None:
        """Be `print`, or have features such as `prefers_color_scheme="dark"`."""
        rows = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.tell("Emulation.setEmulatedMedia", media=kind, features=rows)

    def tell(self, command: str, **parameters: Any) -> Any:
        """Give a command of the DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def screenshot(self, path: Path) -> None:
        """Keep what the whole page looks like, up to some height."""
        height = self.run("return Math.min(document.documentElement.scrollHeight, 4000)")
        width = self.run("return window.innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        data = self.tell("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def _find(self, selector: str) -> str:
        found = self._call("POST", "/element", using="css selector", value=selector)
        return str(found[_ELEMENT])

    def _port(self) -> int:
        """Where the driver listens, which it tells once it does."""
        for _ in range(_SECONDS * 20):
            words = self._log.read_text().split("started successfully on port ")
            if len(words) > 1:
                return int(words[1].split(".")[0])
            if self._driver.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"the driver did not start: {self._log.read_text()}")

    def _call(self, method: str, path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if method == "POST" else None
        request = Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with _OPEN(request, timeout=_SECONDS) as answer:
                return json.load(answer)["value"]
        except HTTPError as exc:
            with exc:
                raise RuntimeError(json.load(exc)["value"]["message"]) from None
