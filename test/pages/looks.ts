/** What every page of `cases.ts` must be, on a phone and on a desktop, in light and in dark. Several suites share them. */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { Visits } from '../support/visits.ts'
import { cases } from './cases.ts'
import { colourViolations, expectedOutline, outline, overflow, unreachable, violations } from './checks.ts'
import { openScene, type Scene } from './scene.ts'
import { screenshot } from './screenshots.ts'

export const viewports = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
} as const
const schemes = ['light', 'dark'] as const

interface Look {
  readonly device: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: (typeof schemes)[number]
}

export const looks: readonly Look[] = Object.entries(viewports).flatMap(([device, viewport]) =>
  schemes.map((colorScheme) => ({ device, viewport, colorScheme })),
)

export interface Heard {
  readonly visits: Visits
  readonly page: Page
  /** What the console said: a policy that is in the way, a script that fails. */
  readonly said: readonly string[]
}

/** The browser says of each page with such a status that it has it. */
const ownStatus = /^Failed to load resource: the server responded with a status of (401|500) /

export interface Shown {
  readonly scene: Scene
  /** A page whose console is heard. */
  readonly heardPage: () => Promise<Heard>
}

/** Opened when it is first asked for, and closed at the end of the suite. */
export function shownTo(t: { teardown(clean: () => unknown): void }): () => Promise<Shown> {
  let opened: Promise<Shown> | null = null
  t.teardown(async () => (await opened)?.scene.close())
  return () => {
    opened ??= show()
    return opened
  }
}

async function show(): Promise<Shown> {
  const scene = await openScene()
  const visits = new Visits(scene.browser, { viewport: viewports.phone, reducedMotion: 'reduce' })
  const heardPage = async (): Promise<Heard> => {
    const page = await visits.open()
    const said: string[] = []
    page.on('console', (message) => {
      if (!ownStatus.test(message.text())) said.push(message.text())
    })
    page.on('pageerror', (error) => said.push(String(error)))
    return { visits, page, said }
  }
  return { scene, heardPage }
}

/** A test of each page whose name is meant. */
export function lookAtPages(
  t: Test,
  shown: () => Promise<Shown>,
  { skip, isMeant }: { readonly skip: string | false; readonly isMeant: (name: string) => boolean },
): void {
  for (const { name, open } of cases.filter((pageCase) => isMeant(pageCase.name)))
    void t.test(
      `pages, ${name}: readable and usable on phone and desktop, in light and in dark`,
      { skip },
      async (t) => {
        const { scene, heardPage } = await shown()
        const { visits, page, said } = await heardPage()
        await open(page, scene)
        t.strictSame(await outline(page), expectedOutline)
        await lookAt(t, page, name)
        t.strictSame(said, [], 'the console is silent')
        await visits.leave(page)
      },
    )
}

async function lookAt(t: Test, page: Page, name: string): Promise<void> {
  for (const { device, viewport, colorScheme } of looks) {
    const look = `${name}.${device}.${colorScheme}`
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    t.equal(await screenshot(page, look), null, `${look}: the picture`)
    t.equal(await overflow(page), 0, `${look}: no horizontal scrolling`)
    const found = colorScheme === 'light' ? await violations(page) : await colourViolations(page)
    t.strictSame(found, [], `${look}: axe`)
  }
  for (const [device, viewport] of Object.entries(viewports)) {
    await page.setViewportSize(viewport)
    t.strictSame(await unreachable(page), [], `${name}.${device}: by keyboard`)
  }
}
