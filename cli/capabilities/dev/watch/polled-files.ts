/** Notices what changes where the system tells of nothing: looks at the same files again and again, by name, time and size. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { noPaths, type ReadPaths } from '../../../build/read-paths.ts'
import type { ChangeSource, WatchOptions } from './watch-options.ts'
import { watchedTops } from './watched-files.ts'

/** The pause between two looks: so long, or so many times as long as the last one took. */
const pauseMs = 300
const pauseByLook = 20

/** What was there, by path. */
type Seen = Map<string, string>

/** Resolves when it has looked once. */
export async function pollFiles(cwd: string, options: WatchOptions): Promise<ChangeSource> {
  const tops = watchedTops(resolve(cwd), options.more)
  const closing = new AbortController()
  let paths = noPaths
  let before = await look(tops, paths)
  const lookAgain = async (): Promise<void> => {
    for (let ms = 0; !closing.signal.aborted; ) {
      await wait(Math.max(pauseMs, pauseByLook * ms), undefined, { signal: closing.signal })
      const began = performance.now()
      const now = await look(tops, paths)
      ms = performance.now() - began
      for (const path of changedPaths(before, now)) options.changed(path)
      before = now
    }
  }
  lookAgain().catch((error: unknown) => {
    if (!closing.signal.aborted) options.failed(error)
  })
  return {
    // what is new among them was not seen before, and therefore has changed at the next look
    read(next) {
      paths = next
      return false
    },
    close: () => closing.abort(),
  }
}

function changedPaths(before: Seen, now: Seen): readonly string[] {
  const paths = new Set([...before.keys(), ...now.keys()])
  return [...paths].filter((path) => before.get(path) !== now.get(path))
}

async function look(tops: readonly string[], { files, folders }: ReadPaths): Promise<Seen> {
  const seen: Seen = new Map()
  const names = async (folder: string): Promise<void> => {
    seen.set(`${folder}/`, (await readdir(folder).catch(() => [])).sort().join('\n'))
  }
  await Promise.all([
    ...tops.map((top) => lookBelow(seen, top, [])),
    ...[...files].map((file) => lookBelow(seen, file, null)),
    ...[...folders].map(names),
  ])
  return seen
}

/** `above`: the real paths of the folders above, of which none is entered again; null = what is below does not count. */
async function lookBelow(seen: Seen, path: string, above: readonly string[] | null): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found === null) return
  if (!found.isDirectory()) return void seen.set(path, `${found.mtimeMs} ${found.size} ${found.ino}`)
  seen.set(path, 'folder')
  if (above === null) return
  const real = await realpath(path).catch(() => null)
  if (real === null || above.includes(real)) return
  const names = await readdir(path).catch(() => [])
  await Promise.all(names.map((name) => lookBelow(seen, join(path, name), [...above, real])))
}
