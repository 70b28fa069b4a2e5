// What the programs of this folder share: a browser, pages that note what a person or the network
// would complain of, and a look at a page with axe.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const patience = 60_000; // milliseconds for one page, on a slow machine

// begin reads a run from standard input and starts its browser. originOf returns the only origin
// that pages may ask.
export async function begin(originOf) {
  const run = JSON.parse(readFileSync(0, 'utf8'));
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const origin = originOf(run);
  const wrong = [];
  const browser = await puppeteer.launch({
    executablePath: run.chromium,
    acceptInsecureCerts: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    timeout: patience,
  });

  // opened returns a page; it may also ask other, a URL.
  async function opened(where, other) {
    const page = await browser.newPage();
    page.setDefaultTimeout(patience);
    page.on('request', request => {
      const url = new URL(request.url());
      if (url.origin !== origin && url.protocol !== 'data:' && !(other && url.origin === new URL(other).origin)) wrong.push(`${where}: a request to ${url.origin}`);
    });
    page.on('console', message => {
      const refused = /status of (401|410)/.test(message.text()); // what a page says about itself
      if ((message.type() === 'error' || message.type() === 'warn') && !refused) wrong.push(`${where}: ${message.text()}`);
    });
    page.on('pageerror', error => wrong.push(`${where}: ${error.message}`));
    return page;
  }

  // submitted waits for the page that a click or a key opens.
  const submitted = (page, act) => Promise.all([page.waitForNavigation(), act()]);

  // expectText complains of a page without a text.
  async function expectText(page, wanted) {
    const html = await page.content();
    if (!html.includes(wanted)) wrong.push(`${page.url()} lacks ${JSON.stringify(wanted)}`);
  }

  // inspect reports what axe finds in the page as it is, and what does not fit a narrow screen.
  async function inspect(page, what, screen) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }));
    for (const violation of result.violations) {
      wrong.push(`${screen} ${what}: axe ${violation.id}: ${violation.nodes.map(node => node.html).join(' | ').slice(0, 300)}`);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 1) wrong.push(`${screen} ${what}: ${wide} pixels wider than the screen`);
    if (run.pictures) await page.screenshot({ path: `${run.pictures}/${screen}-${what.replace(/^[^a-z0-9]+|[^a-z0-9]+$/gi, '').replace(/[^a-z0-9]+/gi, '-')}.png`, fullPage: true });
  }

  return { run, origin, browser, wrong, opened, submitted, expectText, inspect };
}
