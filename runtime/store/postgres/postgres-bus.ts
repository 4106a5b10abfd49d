/** The bus of instances on one PostgreSQL: LISTEN and NOTIFY on a connection of its own. It connects again by itself, and then
 *  says that there was a gap. Source: PostgreSQL, NOTIFY. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Bus, BusMessage } from '../../contract/bus.ts'
import { LruMap } from '../../lru.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Health } from '../health.ts'
import { DeafConnection } from '../store.ts'
import { BusListeners, type BusSeal, busSeal, gapTopic, isShortEnough, maxWaiting } from './bus-messages.ts'

/** Every instance listens here. */
const channel = 'acmcp'

const connectMs = 5_000
const firstPauseMs = 100
const maxPauseMs = 5_000

/** An instance that hears nothing for so long, not even itself, has lost the connection without an error. */
const heartbeatMs = 5_000

interface Sent {
  readonly from: string
  /** Counts what `from` says. A transaction notifies of equal payloads once, and what is sent again may have been heard. */
  readonly serial: number
  readonly topic: string
  readonly message: BusMessage
}

/** As it is sealed. */
interface TimedMessage extends Sent {
  /** When it was said, by the time of the database in milliseconds. */
  readonly at: number
}

/** What is heard later than so long after it was said is no message: a recorded one could be said again to an instance that started since. */
const maxAgeMs = 30_000

/** So many others are known by the last that they said. */
const maxOthers = 1_000

/** A topic that no room uses. */
const echoTopic = ' echo'

export interface PostgresBusOptions {
  readonly url: string
  readonly every: Scheduler
  /** Is told what the pool of the store is told too: when the database cannot be used. */
  readonly health: Health
  /** Seal what is said: the first seals, all open. What another sealed is no message, and no gap. */
  readonly secrets: readonly string[]
}

export class PostgresBus implements Bus {
  readonly #options: PostgresBusOptions
  readonly #seal: BusSeal
  readonly #id = randomUUID()
  readonly #listeners = new BusListeners()
  readonly #lastHeard = new LruMap<string, number>(maxOthers)
  #lastSerial = 0
  #waiting: Sent[] = []
  #client: pg.Client | null = null
  #sending: Promise<void> | null = null
  #pauseMs = firstPauseMs
  /** From `performance.now()` to the time of the database, which all instances share, in milliseconds. */
  #serverOffsetMs = 0
  #retry: NodeJS.Timeout | undefined
  #hasHeard = false
  /** The connection broke, and the listeners have not been told of it yet. */
  #hasGap = false
  #isClosed = false
  #stopBeating: (() => Promise<void>) | null = null

  constructor(options: PostgresBusOptions) {
    this.#options = options
    this.#seal = busSeal(options.secrets)
  }

  /** Resolves when it listens, or could not and tries again by itself. Rejects with `DeafConnection`. */
  async join(): Promise<void> {
    await this.#connect()
    this.#stopBeating = this.#options.every(heartbeatMs, () => this.#beat())
    if (this.#client !== null && !(await this.#hearsItself())) throw new DeafConnection()
  }

  publish(topic: string, message: BusMessage): void {
    if (this.#isClosed) return
    const sent = this.#sentOf(topic, message)
    if (this.#waiting.length < maxWaiting && isShortEnough(sent)) this.#waiting.push(sent)
    else if (this.#waiting.at(-1)?.topic !== gapTopic) this.#waiting.push(this.#sentOf(gapTopic, null))
    this.#send()
  }

  #sentOf(topic: string, message: BusMessage): Sent {
    this.#lastSerial += 1
    return { from: this.#id, serial: this.#lastSerial, topic, message }
  }

  subscribe(topic: string, listener: (message: unknown) => void): void {
    this.#listeners.subscribe(topic, listener)
  }

  onGap(listener: () => void): void {
    this.#listeners.onGap(listener)
  }

  async close(): Promise<boolean> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await this.#stopBeating?.()
    while (this.#sending !== null) await this.#sending // what waited meanwhile is sent after it
    await this.#client?.end().catch(() => {})
    return this.#waiting.length === 0
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#settings())
    const lost = (): void => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      this.#serverOffsetMs = (await serverTime(client)) - performance.now()
    } catch (error) {
      this.#options.health.failed('read', error)
      this.#connectLater(client)
      return
    }
    if (this.#isClosed) return void client.end().catch(() => {})
    this.#client = client
    this.#hasHeard = true
    if (this.#hasGap) this.publish(echoTopic, null)
    this.#send()
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    this.#connectLater(client)
  }

  #connectLater(broken: pg.Client): void {
    this.#hasGap = true
    broken.removeAllListeners('notification')
    void broken.end().catch(() => {})
    if (this.#isClosed) return
    this.#retry = setTimeout(() => this.#connect(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs)
  }

  /** All that waits in one statement, one statement after the other. What could not be sent waits on. */
  #send(): void {
    const client = this.#client
    if (this.#sending !== null || client === null || this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    const texts = batch.map((sent) => this.#sealed(sent))
    this.#sending = client
      .query('select pg_notify($1, text) from unnest($2::text[]) as text', [channel, texts])
      .then(
        () => {
          this.#sending = null
          this.#send()
        },
        () => {
          this.#sending = null
          this.#keep([...batch, ...this.#waiting])
          this.#lost(client)
        },
      )
  }

  #sealed(sent: Sent): string {
    const timed: TimedMessage = { ...sent, at: this.#serverNow() }
    return this.#seal.seal(JSON.stringify(timed))
  }

  readonly #serverNow = (): number => Math.round(performance.now() + this.#serverOffsetMs)

  #hear(payload: string): void {
    const text = this.#seal.open(payload)
    const sent = text === null ? null : parsed(text)
    if (sent === null || !(Math.abs(this.#serverNow() - sent.at) <= maxAgeMs)) return
    if (sent.from === this.#id) {
      this.#heardItself()
      return
    }
    if (sent.serial <= (this.#lastHeard.get(sent.from) ?? 0)) return
    this.#lastHeard.set(sent.from, sent.serial)
    this.#listeners.hear(sent.topic, sent.message)
  }

  /** What could not be sent; too much of it is a gap for the others. */
  #keep(unsent: readonly Sent[]): void {
    const published = unsent.filter(({ topic }) => topic !== echoTopic)
    this.#waiting = published.length > maxWaiting ? [this.#sentOf(gapTopic, null)] : published
  }

  /** The connection carries: only then is a gap over, for while this instance did not listen anything may have been said. */
  #heardItself(): void {
    this.#hasHeard = true
    this.#pauseMs = firstPauseMs
    if (!this.#hasGap) return
    this.#hasGap = false
    this.#listeners.gap()
  }

  /** Says something to itself, and looks whether the last one came. */
  async #beat(): Promise<void> {
    const client = this.#client
    if (client === null) return
    if (!this.#hasHeard) return this.#lost(client)
    this.#hasHeard = false
    this.publish(echoTopic, null)
  }

  /** Told on another connection: a pooler that lends connections by the transaction may lend this one the same again, where
   *  it would hear itself by chance. Silence is no proof. */
  async #hearsItself(): Promise<boolean> {
    const client = this.#client
    if (client === null) return true
    let timer: NodeJS.Timeout | undefined
    const heard = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), connectMs)
      client.once('notification', () => resolve(true))
    })
    const isPublished = await this.#publish()
    const isHeard = isPublished ? await heard : true
    clearTimeout(timer)
    return isHeard
  }

  async #publish(): Promise<boolean> {
    const other = new pg.Client(this.#settings())
    other.on('error', () => {})
    const text = this.#sealed(this.#sentOf(echoTopic, null))
    try {
      await other.connect()
      await other.query('select pg_notify($1, $2)', [channel, text])
      return true
    } catch {
      return false
    } finally {
      await other.end().catch(() => {})
    }
  }

  #settings(): pg.ClientConfig {
    return {
      connectionString: this.#options.url,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      application_name: 'acmcp bus',
      keepAlive: true,
    }
  }
}

async function serverTime(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  )
  return rows[0]?.now ?? 0
}

function parsed(payload: string): TimedMessage | null {
  try {
    const sent: unknown = JSON.parse(payload)
    const isSent =
      typeof sent === 'object' && sent !== null && 'from' in sent && 'topic' in sent && 'message' in sent
    return isSent ? (sent as TimedMessage) : null // instances of one application alone say something here
  } catch {
    return null
  }
}
