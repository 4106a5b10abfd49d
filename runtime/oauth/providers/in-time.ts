export class TookTooLong extends Error {}

/** Rejects when `work` takes longer; `whose` it is stands in the message. */
export async function inTime<Value>(work: Promise<Value>, timeoutMs: number, whose: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`${whose} took too long`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
