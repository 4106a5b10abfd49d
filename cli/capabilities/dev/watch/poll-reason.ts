/** Why changes must be looked for: some file systems tell of none that were made elsewhere, such as on Windows below WSL's /mnt, at another
 *  machine of a network share, or outside of a container. */
import { statfsSync } from 'node:fs'

/** By the magic number of statfs(2) on Linux. Those of FUSE are also virtiofs and the shared folders of Docker Desktop. */
const withoutEvents: ReadonlyMap<number, string> = new Map([
  [0x01021997, '9p'],
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x65735546, 'fuse'],
  [0x786f4256, 'vboxsf'],
  [0x7c7c6673, 'prl_fs'],
  [0xbacbacbc, 'vmhgfs'],
  [0x5346414f, 'afs'],
  [0x00c36400, 'ceph'],
])

export interface Polling {
  /** `--poll`. */
  readonly isWanted: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file system of a folder; throws for what is not there. */
  readonly typeOf?: (folder: string) => number
}

/** Null = the system tells of changes. `CHOKIDAR_USEPOLLING` says either, as people have it from other tools. */
export function pollReason(folders: readonly string[], polling: Polling): string | null {
  const { isWanted, env, typeOf = linuxType } = polling
  if (isWanted) return '--poll'
  const said = env.CHOKIDAR_USEPOLLING
  if (said) return /^(0|false)$/i.test(said) ? null : 'CHOKIDAR_USEPOLLING'
  const names = folders.flatMap((folder) => withoutEvents.get(typeOrNull(folder, typeOf) ?? 0) ?? [])
  return names.length === 0 ? null : `${names[0]} tells of no changes from outside`
}

function typeOrNull(folder: string, typeOf: (folder: string) => number): number | null {
  try {
    return typeOf(folder)
  } catch {
    return null
  }
}

/** Elsewhere the numbers are others, and the system tells of changes. */
const linuxType = (folder: string): number =>
  process.platform === 'linux' ? statfsSync(folder).type >>> 0 : 0
