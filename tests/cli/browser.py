"""browser.py: headless Chromium, driven over its debugging pipe. No package is needed.

    browser.py PAGE PICTURE.png [WIDTH [HEIGHT]]     writes a picture of an HTML file, its first HEIGHT pixels
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find():
    """The path of Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page of a headless Chromium. `messages` holds what the console and the network reported."""

    def __init__(self, program, folder):
        to_browser, self.to = os.pipe()
        self.source, from_browser = os.pipe()
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                   "--hide-scrollbars", f"--user-data-dir={folder}", "about:blank"]
        redirect = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(["bash", "-c", redirect, "bash"] + command, pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.last, self.session, self.rest, self.messages, self.loaded = 0, None, b"", [], False
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.source, 1 << 20)
            if not part:
                raise RuntimeError("Chromium ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, given):
        self.loaded |= method == "Page.loadEventFired"
        if method == "Runtime.exceptionThrown":
            self.messages.append("exception: " + given["exceptionDetails"].get("exception", {}).get("description", "?"))
        elif method == "Runtime.consoleAPICalled":
            self.messages.append("console: " + json.dumps([a.get("value") for a in given["args"]]))
        elif method == "Log.entryAdded":
            self.messages.append("log: " + given["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not given["request"]["url"].startswith(("file:", "data:", "about:")):
            self.messages.append("request: " + given["request"]["url"])

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path, width, dark=False, scripts=True, media="screen"):
        """Opens the file at this width; returns the messages."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.messages.clear()
        self.loaded = False
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not self.loaded:
            self.receive()
        return self.messages

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path, height=12000):
        """Writes the page, or its first pixels, as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height), "scale": 1}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        os.close(self.to)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


if __name__ == "__main__":
    page, image, wide, high = (sys.argv[1:] + ["1200", "12000"][len(sys.argv) - 3:])[:4]
    with tempfile.TemporaryDirectory() as profile:
        chromium = Browser(find(), profile)
        chromium.open(page, int(wide))
        chromium.evaluate("new Promise(done => setTimeout(done, 300))")
        chromium.picture(image, int(high))
        chromium.close()
