/** The other end of `AuditThread`. Its connection to the file is its own, and treats the file as every other does. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openSqlite } from '../../store/sqlite/sqlite.ts'
import { StoreBusy, StoreUnavailable } from '../../store/store.ts'
import { appendInGroupCommits } from './audit-rows.ts'
import type { AuditFailure, AuditReply, AuditRequest, AuditThreadData } from './audit-thread.ts'

function serve(port: MessagePort, { path, patienceMs, known }: AuditThreadData): void {
  const { commits, close } = openSqlite(path, { patienceMs, known })
  const append = appendInGroupCommits(commits)
  let answered = Promise.resolve()
  port.on('message', async (request: AuditRequest) => {
    if (request === null) {
      await answered
      close()
      port.close()
      return
    }
    answered = append(request).then(
      () => port.postMessage(null satisfies AuditReply),
      (error: unknown) => port.postMessage(failureOf(error)),
    )
  })
  port.postMessage('ready' satisfies AuditReply)
}

function failureOf(error: unknown): AuditFailure {
  if (error instanceof StoreBusy) return { kind: 'busy', message: messageOf(error.cause) }
  if (error instanceof StoreUnavailable) return { kind: 'unavailable', message: messageOf(error.cause) }
  return { kind: 'error', message: messageOf(error) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

if (parentPort !== null) serve(parentPort, workerData)
