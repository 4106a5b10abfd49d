/** BM25: which documents are about the words of a query. Source: Robertson and Zaragoza, The Probabilistic Relevance Framework,
 *  2009, 3.4. */

/** How often each word stands in a document, and how many there are. */
export interface WordCounts {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** The places of the documents that have one of the words, the best first; equal ones in their order. */
export type Rank = (words: readonly string[]) => readonly number[]

/** How fast a word that is repeated stops to count, and how much a long document loses: tools are short. */
const k1 = 0.9
const b = 0.4

/** Nothing is asked of the documents but their counts; a query looks at each of them. */
export function createRanking(documents: readonly WordCounts[]): Rank {
  const total = documents.reduce((sum, { length }) => sum + length, 0)
  const mean = Math.max(total / Math.max(documents.length, 1), 1)
  const having = new Map<string, number>()
  for (const { counts } of documents) {
    for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1)
  }
  const weightOf = (word: string): number => {
    const found = having.get(word) ?? 0
    return Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))
  }
  return (words) => {
    const queried = [...new Set(words)].filter((word) => having.has(word))
    const weights = queried.map((word) => [word, weightOf(word)] as const)
    return documents
      .map((document, place) => ({ place, score: scoreOf(document, weights, mean) }))
      .filter(({ score }) => score > 0)
      .sort((item, other) => other.score - item.score || item.place - other.place)
      .map(({ place }) => place)
  }
}

type Weights = readonly (readonly [word: string, weight: number])[]

function scoreOf({ counts, length }: WordCounts, weights: Weights, mean: number): number {
  let score = 0
  const damping = k1 * (1 - b + (b * length) / mean)
  for (const [word, weight] of weights) {
    const count = counts.get(word)
    if (count !== undefined) score += (weight * count * (k1 + 1)) / (count + damping)
  }
  return score
}
