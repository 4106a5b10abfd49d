/** What is killed: two instances of one process each, or the one worker of an instance. */
import { type Instance, type InstanceOptions, startInstance } from '../../serve/support/instance.ts'
import { freePort } from '../../support/free-port.ts'

export interface Servers {
  readonly baseUrl: string
  /** Clients ask them in turn. */
  readonly ports: readonly number[]
  /** Process ids, those about to be killed included. */
  readonly killed: ReadonlySet<number>
  readonly kills: number
  /** SIGKILL to one, in turn; resolves when another serves in its place. */
  kill(): Promise<void>
  stop(): Promise<void>
}

type Options = Omit<InstanceOptions, 'port' | 'workers'>

export async function twoServers({ env, ...options }: Options): Promise<Servers> {
  const ports = [await freePort(), await freePort()]
  const baseUrl = `http://localhost:${ports[0]}`
  const start = (port: number): Promise<Instance> =>
    startInstance({ ...options, port, workers: 1, env: { ...env, BASE_URL: baseUrl } })
  const instances: Instance[] = []
  for (const port of ports) instances.push(await start(port))
  const killed = new Set<number>()
  let turn = 0
  let kills = 0
  return {
    baseUrl,
    ports,
    killed,
    get kills() {
      return kills
    },
    async kill() {
      const at = turn++ % instances.length
      const { process: child, workerPids, gone } = instances[at] as Instance // there are as many as ports
      const pids = [...workerPids(), Number(child.pid)] // the server may have a process above it
      for (const pid of pids) {
        killed.add(pid)
        process.kill(pid, 'SIGKILL')
      }
      await gone
      kills += 1
      instances[at] = await start(ports[at] ?? 0)
    },
    async stop() {
      await Promise.all(instances.map((instance) => instance.stop()))
    },
  }
}

export async function oneWorker(options: Options): Promise<Servers> {
  const port = await freePort()
  const instance = await startInstance({ ...options, port, workers: 1 })
  const killed = new Set<number>()
  return {
    baseUrl: instance.baseUrl,
    ports: [port],
    killed,
    get kills() {
      return killed.size
    },
    async kill() {
      const [oldest = 0] = instance.workerPids()
      killed.add(oldest)
      await instance.killWorker(oldest)
    },
    async stop() {
      await instance.stop()
    },
  }
}
