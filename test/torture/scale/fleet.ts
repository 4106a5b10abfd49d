/** The instances of an application behind a balancer, each `acmcp serve --workers` on a port of its own. */

import { type Instance, type InstanceOptions, startInstance } from '../../serve/support/instance.ts'
import { freePort } from '../../support/free-port.ts'
import type { Balancer } from './balancer.ts'

export interface Fleet {
  readonly instances: readonly Instance[]
  /** The errors that they have logged, those of instances that have ended included. */
  readonly errors: () => readonly string[]
  /** SIGTERM to one; another takes its place on the same port when it has ended. Rejects unless its exit code was 0. Resolves with the
   *  milliseconds that ending took. */
  renew(at: number): Promise<number>
  stop(): Promise<void>
}

export async function startFleet(
  balancer: Balancer,
  count: number,
  options: Omit<InstanceOptions, 'port'>,
): Promise<Fleet> {
  const ports: number[] = []
  const instances: Instance[] = []
  const all: Instance[] = []
  const start = async (port: number): Promise<Instance> => {
    const instance = await startInstance({ ...options, port })
    all.push(instance)
    return instance
  }
  for (let at = 0; at < count; at += 1) {
    const port = await freePort()
    ports.push(port)
    instances.push(await start(port))
  }
  balancer.serve(ports)
  return {
    instances,
    errors: () => all.flatMap(({ said }) => said.filter((text) => /\n\s+at /.test(text))),
    async renew(at) {
      const began = performance.now()
      const [code, signal] = (await instances[at]?.stop()) ?? []
      const ms = performance.now() - began
      if (code !== 0) throw new Error(`an instance ended with ${String(code ?? signal)}`)
      instances[at] = await start(ports[at] ?? 0)
      return ms
    },
    async stop() {
      await Promise.all(instances.map((instance) => instance.stop()))
    },
  }
}
