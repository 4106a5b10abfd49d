/** The questions of `acmcp init` on a terminal. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CANCEL_SYMBOL, intro, isCancel, select, text } from '@clack/prompts'
import type { Variant } from './project-files.ts'

export interface InitChoice {
  readonly folder: string
  readonly variant: Variant
}

type Cancel = typeof CANCEL_SYMBOL

/** Asks for what is not given yet; null when the user cancels. */
export async function askInit(
  cwd: string,
  flags: { readonly folder: string | null; readonly variant: Variant | null },
): Promise<InitChoice | null> {
  intro('acmcp init')
  const folder = flags.folder ?? (await askFolder(cwd))
  if (isCancel(folder)) return null
  const variant = flags.variant ?? (await askVariant(hasManifest(cwd, folder)))
  return isCancel(variant) ? null : { folder, variant }
}

const hasManifest = (cwd: string, folder: string): boolean => existsSync(resolve(cwd, folder, 'package.json'))

function askFolder(cwd: string): Promise<string | Cancel> {
  const here = hasManifest(cwd, '.') ? ' (. adds to the project here)' : ''
  return text({ message: `In which folder?${here}`, initialValue: '.' })
}

function askVariant(isExisting: boolean): Promise<Variant | Cancel> {
  return select<Variant>({
    message: 'What to begin with?',
    initialValue: isExisting ? 'empty' : 'notes',
    options: [
      {
        value: 'notes',
        label: 'Notes',
        hint: 'an example: notes of signed-in users, with a table and tests',
      },
      { value: 'desk', label: 'Help desk', hint: 'an example to read: roles, files, events, reports' },
      { value: 'empty', label: 'Empty', hint: 'one route, and a test' },
    ],
  })
}
