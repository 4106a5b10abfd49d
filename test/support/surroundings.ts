/** What applications of tests and benches run in. */
import { randomBytes } from 'node:crypto'
import type { Dependencies } from '../../runtime/boot/application.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import { defaultPool } from '../../runtime/store/pool.ts'

/** Loopback at `baseUrl`, a database in memory, fresh secrets, no log; `other` says what differs. */
export function surroundings(baseUrl: string, other: Partial<Environment> = {}): Dependencies {
  const secret = (): string => randomBytes(32).toString('hex')
  return {
    environment: {
      production: false,
      host: '127.0.0.1',
      port: Number(new URL(baseUrl).port),
      baseUrl,
      databaseUrl: 'sqlite::memory:',
      databasePool: defaultPool,
      jwtPrivateKeys: [],
      shutdownDelaySeconds: 0,
      jwtSecrets: [secret()],
      sessionSecrets: [secret()],
      devLogin: false,
      logLevel: 'silent',
      metrics: null,
      ...other,
    },
    migrate: true,
    clock: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
  }
}
