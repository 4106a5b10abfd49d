/** What every page must be, looked at in the browser. Each check resolves with what is wrong. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The violations that axe finds, as `<rule>: <element>`; its rule for the size of targets is off by default. */
export const violations = (page: Page): Promise<readonly string[]> =>
  judged(page, "rules: { 'target-size': { enabled: true } }")

/** Those of its rules that look at colours: of a page in which nothing else is another than when all of them looked at it. */
export const colourViolations = (page: Page): Promise<readonly string[]> =>
  judged(page, "runOnly: ['color-contrast', 'link-in-text-block']")

async function judged(page: Page, rules: string): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  const found = await page.evaluate(`axe.run(document, {
    resultTypes: ['violations'],
    ${rules},
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    id + ': ' + html.slice(0, 160) + ' ' + failureSummary.replace(/\\s+/g, ' '))))`)
  return found as readonly string[] // texts, by the script above
}

/** What the document is made of: equal for each page but for the title. */
export async function outline(page: Page): Promise<unknown> {
  return page.evaluate(`({
    lang: document.documentElement.lang,
    isTitled: document.title.trim() !== '',
    headings: document.querySelectorAll('h1').length,
    mains: document.querySelectorAll('main').length,
    outside: document.querySelectorAll('[src], link, [style]').length,
    viewport: document.querySelector('meta[name=viewport]')?.content ?? '',
  })`)
}

export const expectedOutline = {
  lang: 'en',
  isTitled: true,
  headings: 1,
  mains: 1,
  outside: 0,
  viewport: 'width=device-width, initial-scale=1',
} as const

/** How many pixels the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  const pixels = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  return Math.max(0, Number(pixels))
}

/** As many controls as are walked through: the rest of a long page is of the same kinds. */
const walked = 60

/** Marks what the keyboard must reach: each visible control in the order of the page, of radio buttons the chosen one. */
const markControls = `(() => {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  const isControl = (element) =>
    element.checkVisibility() && !element.disabled && !(element.type === 'radio' && !element.checked)
  const controls = [...document.querySelectorAll(selector)].filter(isControl)
  controls.forEach((element, index) => { element.dataset.control = String(index) })
  document.body.tabIndex = -1
  document.body.focus() // Tab goes on from the very beginning
  document.body.removeAttribute('tabindex')
  return controls.map((element) => element.outerHTML.slice(0, 120))
})()`

/** Which control has the focus, and whether one sees that: an outline around it (or its label) in the window. */
const focusedControl = `(() => {
  const element = document.activeElement
  const shown = element.type === 'radio' ? element.labels[0] : element
  const { outlineStyle, outlineWidth } = getComputedStyle(shown)
  const { top, bottom, left, right } = shown.getBoundingClientRect()
  const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
  const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  return [Number(element.dataset.control ?? -1), isOutlined && isInside]
})()`

/** The controls that Tab does not reach in order, or does not show to have the focus. */
export async function unreachable(page: Page): Promise<readonly string[]> {
  const controls = (await page.evaluate(markControls)) as readonly string[] // texts, by the script above
  const wrong: string[] = []
  for (const [index, control] of controls.slice(0, walked).entries()) {
    await page.keyboard.press('Tab')
    const [at, isShown] = (await page.evaluate(focusedControl)) as readonly [number, boolean] // by the script above
    if (at !== index || !isShown) wrong.push(`${index}: ${control} (focus is at ${at}, seen: ${isShown})`)
  }
  return wrong
}
