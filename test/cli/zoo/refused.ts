// biome-ignore-all lint/suspicious/noTemplateCurlyInString: types are written so
/** What has no form in a place: the build says so there. Source: templates/docs/types.md, "What is refused". */
import type { Place } from './places.ts'
import { places, requestPlaces } from './places.ts'

const texts: readonly Place[] = ['query', 'path', 'header', 'form', 'upload']

/** Types, and the error of each place: what two places share is told once, so that `PLACE` is the place. */
export const refused: readonly (readonly [type: string, code: string, where: readonly Place[]])[] = [
  ['() => void', 'ACM120', places],
  ['{ run(): void }', 'ACM120', places],
  ['{ inner: { run: () => void } }', 'ACM120', places],
  ['symbol', 'ACM120', places],
  ['{ later: Promise<string> }', 'ACM120', places],
  ['Iterable<string>', 'ACM120', requestPlaces],
  ['WeakMap<object, string>', 'ACM120', places],
  ['RegExp', 'ACM120', places],
  ['ArrayBuffer', 'ACM120', requestPlaces],
  ['Float32Array', 'ACM120', places],
  ['Map<number, string>', 'ACM120', places],
  ['{ none: never }', 'ACM120', places],
  ['{ file: UploadedFile }', 'ACM120', requestPlaces],
  ['Money', 'ACM141', requestPlaces],
  ['{ price: Money }', 'ACM141', requestPlaces],
  ['any', 'ACM145', places],
  ['{ some: any }', 'ACM145', places],
  ['Missing', 'ACM144', places],
  ["Nest<'PLACE'>", 'ACM160', places],
  ['number | bigint', 'ACM239', texts],
  ['Int32 | Uint8Array', 'ACM239', texts],
  ['boolean | Uint8Array', 'ACM239', texts],
  ['number | `${number}`', 'ACM239', texts],
  // what others say of a place
  ['Password', 'ACM340', ['answer']],
]
