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

import { begin } from './look.mjs';

const { run, origin, browser, wrong, opened, submitted, expectText, inspect } = await begin(run => new URL(run.link).origin);

// tabTo moves the focus with the keyboard until it is at the element.
async function tabTo(page, name) {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement.getAttribute('name') ?? document.activeElement.textContent.trim()) === name) return;
  }
  throw new Error(`${name} cannot be reached with the keyboard at ${page.url()}`);
}

// look opens a path and inspects the page.
async function look(page, path, name) {
  const response = await page.goto(origin + path, { waitUntil: 'load' });
  if (response.status() !== 200) wrong.push(`${path}: status ${response.status()}`);
  await inspect(page, path, name);
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
