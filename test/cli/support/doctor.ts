/** `acmcp doctor` in this process, at the example of this repository behind a proxy. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { run as doctor } from '../../../cli/capabilities/doctor/commands/doctor.ts'
import { type Application, createApplication, type Dependencies } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { Environment } from '../../../runtime/boot/environment.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { Network } from '../../../runtime/oauth/network.ts'
import { surroundings } from '../../support/surroundings.ts'
import { type Meddling, proxyFor } from './reverse-proxy.ts'

export interface Behind {
  /** Where clients ask. */
  readonly baseUrl: string
  /** Where the proxy asks. */
  readonly upstream: string
  readonly application: Application
}

export interface BehindOptions {
  readonly meddling?: Meddling
  /** Under which clients ask; default: localhost. */
  readonly name?: string
  /** Over those of the example. */
  readonly config?: object
  /** Where the server believes to be; default: where clients ask. */
  readonly believes?: (upstream: string) => string
  readonly clock?: Dependencies['clock']
  readonly databaseUrl?: string
  /** Of clients with a secret, by the variable. */
  readonly secretsOf?: Environment['secretsOf']
  /** Where client documents are; default: on the internet. */
  readonly network?: Network
}

/** The example, with its development login, until the end of the test. */
export async function exampleBehind(t: Test, options: BehindOptions = {}): Promise<Behind> {
  const { meddling = {}, name, config = {}, believes, clock = Date.now } = options
  const { baseUrl, upstreamPort: port } = await proxyFor(t, meddling, name)
  const upstream = `http://localhost:${port}`
  const bundle = await loadBundle(process.cwd())
  const changed: AppBundle = { ...bundle, config: { ...(bundle.config as object), ...config } } // a plain object
  const store = options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl }
  const secrets = options.secretsOf === undefined ? {} : { secretsOf: options.secretsOf }
  const application = await createApplication(changed, {
    ...surroundings(believes?.(upstream) ?? baseUrl, { devLogin: true, ...store, ...secrets }),
    clock: () => clock(),
    ...(options.network === undefined ? {} : { network: options.network }),
  })
  await application.server.listen({ port, host: '127.0.0.1' })
  t.teardown(application.close)
  return { baseUrl, upstream, application }
}

/** Certificates in a file, as `--ca` takes it. */
export function caFile(t: Test, certificate: string): string {
  const file = join(t.testdir({}), 'ca.pem')
  writeFileSync(file, certificate)
  return file
}

export interface Examined {
  readonly code: number
  /** What is printed in a pipe. */
  readonly lines: readonly string[]
}

type Options = Partial<Parameters<typeof doctor>[0]>

export const patientSeconds = 60

export async function examine(url: string | null, options: Options = {}): Promise<Examined> {
  const lines: string[] = []
  const code = await doctor({
    cwd: process.cwd(),
    env: {},
    url: url === null ? null : new URL(url),
    token: null,
    isSigningIn: false,
    caFile: null,
    timeoutSeconds: patientSeconds,
    json: false,
    hosts: { near: [], far: [] },
    isTerminal: false,
    colour: false,
    clock: () => Date.now(),
    print: (line) => void lines.push(line),
    warn: (line) => void lines.push(line),
    ...options,
  })
  return { code, lines }
}

/** The steps that failed, each with its cause and what to change. */
export const failuresOf = ({ lines }: Examined): readonly (readonly string[])[] =>
  lines.flatMap((line, index) =>
    line.startsWith('failed\t')
      ? [[line.split('\t')[1] ?? '', (lines[index + 1] ?? '').trim(), (lines[index + 2] ?? '').trim()]]
      : [],
  )
