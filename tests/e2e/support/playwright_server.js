// Playwright for tests that are not written in JavaScript: questions are lines of JSON on standard input, answers lines
// on standard output. playwright.py is the other end.
//   node playwright_server.js FOLDER_OF_PLAYWRIGHT_CORE PATH_OF_CHROMIUM
"use strict";
const [, , playwright, executablePath] = process.argv;
const { chromium } = require(playwright);

let browser = null;
const windows = new Map();  // number → {context, page, …}

const doings = {
  // A window of its own: its cookies, its storage and its cache are nobody else's.
  async open({ number, options }) {
    browser ??= await chromium.launch({ executablePath, chromiumSandbox: false });
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const window = { context, page, complaints: [], requests: [], asked: [] };
    page.on("console", (message) => { if (message.type() === "error") window.complaints.push(message.text()); });
    page.on("pageerror", (error) => window.complaints.push(String(error)));
    page.on("request", (request) => window.requests.push(request.url()));
    page.on("dialog", (dialog) => { window.asked.push(dialog.message()); void dialog.accept(); });
    windows.set(number, window);
  },
  async close({ number }) {
    await windows.get(number).context.close();
    windows.delete(number);
  },
  // Any method of the page, or of what belongs to it: ["keyboard", "press"].
  async call({ number, path, with: values }) {
    let whose = windows.get(number).page;
    for (const name of path.slice(0, -1)) whose = whose[name];
    const value = await whose[path[path.length - 1]](...values);
    return plain(value);
  },
  async noted({ number, what }) {
    return windows.get(number)[what];
  },
  async forget({ number }) {
    for (const what of ["complaints", "requests", "asked"]) windows.get(number)[what].length = 0;
  },
  // What the frames of the page show in truth.
  async frames({ number }) {
    const { page } = windows.get(number);
    return Promise.all(page.frames().filter((frame) => frame !== page.mainFrame()).map((frame) => frame.evaluate("document.URL")));
  },
  // Clicks, and gives what is saved: name and content.
  async download({ number, selector }) {
    const { page } = windows.get(number);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    const pieces = [];
    for await (const piece of await download.createReadStream()) pieces.push(piece);
    return { name: download.suggestedFilename(), text: Buffer.concat(pieces).toString() };
  },
};

// Objects of Playwright itself cannot be handed over, and nobody wants them.
function plain(value) {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value.toString("base64");
  return typeof value !== "object" || Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ? value : null;
}

async function answer(line) {
  const question = JSON.parse(line);
  const reply = { id: question.id };
  try {
    reply.value = (await doings[question.do](question)) ?? null;
  } catch (error) {
    reply.error = String(error.message ?? error);
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => void answer(line)).on("close", async () => {
  await browser?.close();
  process.exit(0);
});
