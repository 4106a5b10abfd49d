/** The thread of `yaml-thread.ts`: parses one text after the other. */
import { parentPort } from 'node:worker_threads'
import { PayloadTooLarge } from '../../errors.ts'
import { parseYamlBody } from './yaml-body.ts'
import type { YamlRead } from './yaml-thread.ts'

parentPort?.on('message', ({ number, text }: { readonly number: number; readonly text: string }) => {
  parentPort?.postMessage({ number, read: readText(text) } satisfies YamlRead)
})

function readText(text: string): YamlRead['read'] {
  try {
    return { value: parseYamlBody(text) }
  } catch (error) {
    return error instanceof PayloadTooLarge ? 'too large' : 'wrong'
  }
}
