/** The content of attachments: files on disk that are called by the id of their attachment, for a name that a stranger chose is
 *  never a path. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadedFile } from 'acmcp'

/** Where they lie. With several instances: a folder that all of them see. */
export const filesFolder: string = process.env.DESK_FILES ?? 'data/files'

/** Stores the file for the attachment of this id, and returns the SHA-256 of its content. */
export async function keepFile(id: string, file: UploadedFile): Promise<string> {
  await mkdir(filesFolder, { recursive: true })
  await copyFile(file.path, join(filesFolder, id))
  const hash = createHash('sha256')
  for await (const piece of file.stream()) hash.update(piece)
  return hash.digest('hex')
}

/** Removes files; harmless when one is not there. */
export async function dropFiles(ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => rm(join(filesFolder, id), { force: true })))
}
