/** The keys that others publish: a client at its `jwksUri`, an identity provider at its own. Source: decisions/oauth.md, Machines. */
import type { Clock, Logger } from '../../contract/store.ts'
import { fetchDocument } from '../clients/fetch-document.ts'
import { fetchableFrom } from '../clients/public-address.ts'
import type { Network } from '../network.ts'
import {
  type AssertionAlgorithm,
  type ClientKeys,
  fittingKeys,
  usableKeys,
  type VerifyingKey,
} from './verifying-keys.ts'

export interface KeyFetchOptions {
  readonly network: Network
  /** Whether keys may also be on this machine. */
  readonly allowLoopback: boolean
  readonly clock: Clock
  /** Milliseconds that never go back, of how long keys are kept (default: the clock). */
  readonly monotonic?: Clock | undefined
  readonly log: Logger
}

/** There are no keys to be had now. */
export class KeysUnavailable extends Error {}

/** So long they are good without a look at the document, and without an answer to it. */
const freshMs = 5 * 60_000
const keptMs = 60 * 60_000
/** Between two fetches, whatever came of the first. */
const pauseMs = 60_000
export const maxKeySetBytes: number = 64 * 1024

/** Where keys are. */
export interface KeySource {
  /** For the log: whose they are. */
  readonly whose: 'client' | 'provider'
  readonly fields: Readonly<Record<string, string>>
  /** The JSON text of the set. Rejects when it cannot be had. */
  readonly read: () => Promise<Uint8Array>
}

export class FetchedKeys implements ClientKeys {
  readonly #source: KeySource
  readonly #log: Logger
  readonly #monotonic: Clock
  #keys: readonly VerifyingKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  #nextAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | null = null
  #isAway = false

  constructor(
    source: KeySource,
    { clock, monotonic = clock, log }: Pick<KeyFetchOptions, 'clock' | 'monotonic' | 'log'>,
  ) {
    this.#source = source
    this.#log = log
    this.#monotonic = monotonic
  }

  /** Asks again where no key of that `kid` is known, once a minute at most. */
  async find(algorithm: AssertionAlgorithm, kid: string | null): Promise<readonly VerifyingKey[]> {
    if (this.#monotonic() >= this.#fetchedAt + freshMs) await this.#fetch()
    const known = this.#fitting(algorithm, kid)
    if (known.length > 0) return known
    await this.#fetch()
    const found = this.#fitting(algorithm, kid)
    if (found.length === 0 && this.#isAway) throw new KeysUnavailable()
    return found
  }

  /** What was fetched too long ago is none: a key that was taken away would be good for as long as its host does not answer. */
  #fitting(algorithm: AssertionAlgorithm, kid: string | null): readonly VerifyingKey[] {
    const isKept = this.#monotonic() < this.#fetchedAt + keptMs
    return isKept ? fittingKeys(this.#keys, algorithm, kid) : []
  }

  async #fetch(): Promise<void> {
    if (this.#fetching === null && this.#monotonic() < this.#nextAt) return
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = null
    })
    await this.#fetching
  }

  async #load(): Promise<void> {
    const log = this.#log
    const { whose, fields, read } = this.#source
    this.#nextAt = this.#monotonic() + pauseMs
    try {
      this.#keys = keysIn(await read())
      this.#fetchedAt = this.#monotonic()
      if (this.#isAway) log.info(fields, `the keys of the ${whose} can be had again`)
      this.#isAway = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#isAway) log.error({ ...fields, reason }, `the keys of the ${whose} cannot be had`)
      this.#isAway = true
    }
  }
}

/** At an address that the configuration names. */
export const clientKeySource = (
  client: string,
  url: URL,
  { network, allowLoopback }: KeyFetchOptions,
): KeySource => ({
  whose: 'client',
  fields: { client, jwksUri: url.origin + url.pathname },
  async read() {
    // no name server knows localhost
    const resolve = url.hostname === 'localhost' ? async () => ['127.0.0.1', '::1'] : network.resolve
    const { bytes } = await fetchDocument(url, {
      network: { ...network, resolve },
      isAllowed: fetchableFrom(allowLoopback),
      maxBytes: maxKeySetBytes,
    })
    return bytes
  },
})

function keysIn(document: Uint8Array): readonly VerifyingKey[] {
  const { keys } = Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(document)))
  if (!Array.isArray(keys)) throw new Error('the document has no list of keys')
  const usable = usableKeys(keys)
  if (usable.length === 0) throw new Error('no key of the document can be used')
  return usable
}
