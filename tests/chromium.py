"""Headless Chromium for tests of pages that people read.

The fixture `browser` in `tests/conftest.py` is one `Browser` for a whole test process.
"""

import base64
import contextlib
import json
import pathlib
import shutil
import tempfile
import urllib.parse

PHONE, DESKTOP = (375, 800), (1280, 900)
MISSING = "Chromium is not installed: apt-get install chromium chromium-driver (make chromium does it)"
HERE = ("127.0.0.1", "localhost")
ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    # Another host is not looked up, whatever a page asks for.
    *("--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
)

# Gives each visible text whose contrast with its background is below WCAG AA's.
_FAINT_TEXTS = """
const channels = colour => {
  const numbers = colour.match(/[\\d.]+/g).map(Number);
  return numbers.length > 3 ? numbers : [...numbers, 1];
};
const over = (front, back) => [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
const luminance = colour => {
  const [red, green, blue] = colour.map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const background = element => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return layers.reduceRight((back, front) => over(front, back), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
};
const faint = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
  if (!text || !element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
  if (element.closest("[disabled], script, style, noscript, option, figure.map")) continue;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  const back = background(element);
  const paint = element.closest("svg") ? style.fill : style.color;
  if (!/^rgb/.test(paint)) continue;
  const lights = [luminance(over(channels(paint), back)), luminance(back)];
  const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (large ? 3 : 4.5)) faint.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)} of ${paint}`);
}
return faint;
"""

# Gives what reaches beyond the window and can not be scrolled in a frame of its own.
_TOO_WIDE = """
const width = document.documentElement.clientWidth;  // a phone's innerWidth grows with the page
if (document.documentElement.scrollWidth <= width) return [];
const framed = element => {
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
    if (getComputedStyle(at).overflowX !== "visible") return true;
  return false;
};
const wide = [...document.body.querySelectorAll("*")]
  .filter(element => element.getBoundingClientRect().right > width + 0.5 && !framed(element))
  .map(element => `<${element.localName} id="${element.id}" class="${element.getAttribute("class") || ""}">`);
return wide.length ? wide : ["the document"];
"""


def is_installed():
    """Say whether Chromium and its driver are on PATH."""
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class Browser:
    """Chromium with a new, empty profile; `driver` is selenium's.

    Each `open` sets all of its conditions again, so a test receives nothing of the one before it.
    """

    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        self._profile = tempfile.mkdtemp(prefix="chromium-")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (*ARGUMENTS, f"--user-data-dir={self._profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))

    def open(self, page, size=DESKTOP, dark=False, script=True, media=""):
        """Open a file or a URL.

        Args:
            page: a path, or a URL.
            size: the window's width and height.
            dark: whether the reader prefers dark pages.
            script: whether JavaScript runs.
            media: "print" for how it is printed; "" for the screen.
        """
        self._log = []
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        width, height = size
        phone = width < 600
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.cdp("Emulation.setScriptExecutionDisabled", value=not script)
        is_url = isinstance(page, str) and "://" in page
        self.driver.get(page if is_url else pathlib.Path(page).resolve().as_uri())

    def cdp(self, command, **parameters):
        """Send a command of Chromium's own protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def run(self, script, *arguments):
        """Run the body of a JavaScript function and give what it returns."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        """Give the first element that a CSS selector names."""
        return self.driver.find_element("css selector", selector)

    def find_all(self, selector):
        """Give all elements that a CSS selector names."""
        return self.driver.find_elements("css selector", selector)

    def wait_until(self, reached, seconds=20.0):
        """Wait until a function of no arguments gives something true, and give that."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, poll_frequency=0.02).until(lambda _: reached())

    def screenshot(self, path, whole=True):
        """Write a picture of the page, whole or of what the window shows."""
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole))
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def _clip(self, whole):
        if not whole:
            return {}
        size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def pdf(self):
        """Print the page; gives the bytes of a PDF."""
        return base64.b64decode(self.cdp("Page.printToPDF", printBackground=False)["data"])

    def requests_elsewhere(self):
        """Give the URLs of other hosts that were asked for since `open`."""
        self._log += self.driver.get_log("performance")
        messages = [json.loads(entry["message"])["message"] for entry in self._log]
        asked = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        parts = [(url, urllib.parse.urlsplit(url)) for url in asked]
        return [
            url
            for url, part in parts
            if part.scheme not in ("file", "data", "blob", "about") and part.hostname not in HERE
        ]

    def console_errors(self):
        """Give what the console received since this was last asked: errors, and what a policy refused."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def too_wide(self):
        """Give the elements that make the page wider than the window; none on a page that fits."""
        return self.run(_TOO_WIDE)

    def faint_texts(self):
        """Give visible texts with less contrast than WCAG AA asks for: 4.5 to 1, or 3 to 1 if large."""
        return self.run(_FAINT_TEXTS)

    def close(self):
        """End Chromium and remove its profile."""
        with contextlib.suppress(Exception):
            self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)
