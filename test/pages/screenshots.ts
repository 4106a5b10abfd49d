/** The pictures that are kept, for people to look at. Fonts differ between machines, so that pixels are not compared: a picture
 *  must be there, be as wide as its window and about as high as the page is now. `ACMCP_UPDATE_SCREENSHOTS=1` makes them anew. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { withFewColours } from './palette.ts'

const folder = 'test/pages/screenshots'
const isUpdating = process.env.ACMCP_UPDATE_SCREENSHOTS === '1'

/** What is over is cut off. */
const highest = 1000

/** Takes the picture and keeps it when asked to, and resolves with what is wrong with the kept one, else null. */
export async function screenshot(page: Page, name: string): Promise<string | null> {
  await steady(page)
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const width = page.viewportSize()?.width ?? 0
  const clip = { x: 0, y: 0, width, height: Math.min(height, highest) }
  const file = join(folder, `${name}.png`)
  if (isUpdating) {
    const taken = await page.screenshot({ fullPage: true, clip, animations: 'disabled', caret: 'hide' })
    writeFileSync(file, withFewColours(taken))
  }
  if (!existsSync(file)) return `${file} is missing: run with ACMCP_UPDATE_SCREENSHOTS=1 and look at it`
  const kept = sizeOf(readFileSync(file))
  const isAlike = kept.width === clip.width && Math.abs(kept.height - clip.height) <= 0.25 * clip.height
  return isAlike
    ? null
    : `${file} shows another page: it is ${JSON.stringify(kept)}, the page ${JSON.stringify(clip)}`
}

/** Writes what differs from run to run as a reader would see it, so that the same page is the same picture. */
async function steady(page: Page): Promise<void> {
  const changes = [
    [new URL(page.url()).host, 'localhost:3000'],
    [`file://${process.cwd()}/`, ''],
    [await documentHostOf(page), 'client.test'],
  ].filter(([from]) => from !== '')
  await page.evaluate(`for (const [from, to] of ${JSON.stringify(changes)}) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const text = walker.currentNode
      if (text.data.includes(from)) text.data = text.data.replaceAll(from, to)
    }
  }`)
}

/** Where the host of metadata documents happens to listen. */
async function documentHostOf(page: Page): Promise<string> {
  return /client\.test:\d+/.exec((await page.textContent('body')) ?? '')?.[0] ?? ''
}

/** From the header of a PNG (W3C PNG, 11.2.1). */
function sizeOf(picture: Buffer): { readonly width: number; readonly height: number } {
  return { width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }
}

/** The names of the pictures that are kept. */
export const keptScreenshots = (): readonly string[] =>
  readdirSync(folder).map((file) => file.replace(/\.png$/, ''))
