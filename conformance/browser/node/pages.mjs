// Opens the console in Chromium as a person does: signs in by a link, writes a ruleset
// with the keyboard alone and without scripts, and then looks at every page in light and
// dark, on a desk and on a phone. Takes a run as JSON on standard input:
//
//   chromium     the program
//   link         the address that signs in
//   pages        paths to look at
//   pictures     a folder for screenshots, or ''
//
// and prints what is wrong as a list of texts.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const run = JSON.parse(readFileSync(0, 'utf8'));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const origin = new URL(run.link).origin;
const wrong = [];
const patience = 60_000; // milliseconds for one page, on a slow machine

const browser = await puppeteer.launch({
  executablePath: run.chromium,
  acceptInsecureCerts: true,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  timeout: patience,
});

// opened returns a page that notes what a person or the network would complain of.
async function opened(where) {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  page.on('request', request => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') wrong.push(`${where}: a request to ${url.origin}`);
  });
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warn') wrong.push(`${where}: ${message.text()}`);
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

// tabTo moves the focus with the keyboard until it is at the element.
async function tabTo(page, name) {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement.getAttribute('name') ?? document.activeElement.textContent.trim()) === name) return;
  }
  throw new Error(`${name} cannot be reached with the keyboard at ${page.url()}`);
}

// look reports what axe finds, and what does not fit a narrow screen.
async function look(page, path, name) {
  const response = await page.goto(origin + path, { waitUntil: 'load' });
  if (response.status() !== 200) wrong.push(`${path}: status ${response.status()}`);
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));
  for (const violation of result.violations) {
    wrong.push(`${name} ${path}: axe ${violation.id}: ${violation.nodes.map(node => node.html).join(' | ').slice(0, 300)}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 1) wrong.push(`${name} ${path}: ${wide} pixels wider than the screen`);
  if (run.pictures) await page.screenshot({ path: `${run.pictures}/${name}${path.replace(/[^a-z0-9]+/gi, '-')}.png`, fullPage: true });
}

try {
  const page = await opened('signing in');
  await page.goto(run.link);
  await submitted(page, () => page.click('button'));
  await expectText(page, 'You are signed in as');

  await page.goto(`${origin}/sessions`); // at the other server
  await expectText(page, 'editor 7');
  await expectText(page, 'second');

  const keyboard = await opened('the keyboard');
  await keyboard.goto(`${origin}/new`);
  for (const [field, text] of [['name', 'made_by_keyboard'], ['description', 'Written without a mouse'], ['markdown', '# Keys\n\n- one\n- two\n']]) {
    await tabTo(keyboard, field);
    await keyboard.keyboard.type(text);
  }
  await tabTo(keyboard, 'do'); // Save
  await submitted(keyboard, () => keyboard.keyboard.press('Enter'));
  await expectText(keyboard, 'Created made_by_keyboard.');

  const plain = await opened('without scripts');
  await plain.setJavaScriptEnabled(false);
  await plain.goto(`${origin}/rules/made_by_keyboard/edit`);
  await plain.focus('#description');
  await plain.keyboard.press('End');
  await plain.keyboard.type(', and changed');
  await submitted(plain, () => plain.click('button[value=preview]'));
  await expectText(plain, 'What changes');
  await submitted(plain, () => plain.click('button[value=save]'));
  await expectText(plain, 'Saved revision 2.');
  await submitted(plain, () => plain.click('main form[action$=diff] button'));
  await expectText(plain, 'Written without a mouse, and changed');

  // Colours are those of the scheme and the layout that of the width, so that two of the
  // four combinations find what all do.
  const screens = [['desk', 1280, 800, 'light'], ['phone', 360, 740, 'dark']];
  if (run.pictures) screens.push(['desk', 1280, 800, 'dark'], ['phone', 360, 740, 'light']);
  for (const [name, width, height, scheme] of screens) {
    const page = await opened(`${name} ${scheme}`);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    for (const path of run.pages) await look(page, path, `${name}-${scheme}`);
    await page.close();
  }
} catch (error) {
  wrong.push(error.stack);
} finally {
  await browser.close();
}
console.log(JSON.stringify(wrong, null, 1));
