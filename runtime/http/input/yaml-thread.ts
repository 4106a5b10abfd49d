/** Reads YAML bodies in a thread of its own: 4,000 lexemes are up to 20 ms of work for the library, in which nobody else would
 *  be answered. */
import { Worker } from 'node:worker_threads'
import { JsonParseError, Overloaded, PayloadTooLarge } from '../../errors.ts'
import { tooManyParts, yamlBytes } from './yaml-body.ts'

/** What the thread reports about the text of that number. */
export interface YamlRead {
  readonly number: number
  readonly read: { readonly value: unknown } | 'wrong' | 'too large'
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const memory = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 } as const

/** About a second of work: who came later would wait longer than a client does. */
const mostWaiting = 64

/** One thread and who waits for it. It starts with the first text and keeps no process alive when nobody waits. */
class YamlThread {
  #worker: Worker | null = null
  #count = 0
  readonly #waiting = new Map<number, Waiting>()

  read(text: string): Promise<unknown> {
    if (this.#waiting.size >= mostWaiting) throw new Overloaded('too many YAML bodies are being read')
    const worker = this.#worker ?? this.#start()
    const number = this.#count++
    worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      worker.postMessage({ number, text })
    })
  }

  #start(): Worker {
    const options = { resourceLimits: memory, execArgv: [], env: {} }
    const worker = new Worker(new URL('./yaml-worker.js', import.meta.url), options)
    this.#worker = worker
    worker.on('message', (answer: YamlRead) => this.#answer(worker, answer))
    worker.on('error', (error) => this.#fail(worker, error))
    worker.on('exit', () => this.#fail(worker, new Error('the thread that reads YAML ended')))
    return worker
  }

  #answer(worker: Worker, { number, read }: YamlRead): void {
    const waiting = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (this.#waiting.size === 0) worker.unref()
    if (read === 'wrong') waiting?.reject(new JsonParseError('YAML'))
    else if (read === 'too large') waiting?.reject(tooManyParts())
    else waiting?.resolve(read.value)
  }

  /** The next text starts another thread. */
  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

const thread = new YamlThread()

/** The value of a YAML body, read one after the other. Rejects with `PayloadTooLarge` above 16 KB, with `Overloaded` when 64 wait,
 *  and with `JsonParseError` for what `parseYamlBody` refuses. */
export async function readYamlBody(text: string): Promise<unknown> {
  if (Buffer.byteLength(text) > yamlBytes) throw new PayloadTooLarge(yamlBytes)
  return thread.read(text)
}
