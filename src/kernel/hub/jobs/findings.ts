/** Of how many differences a report has a sentence. */
export const MAX_EXAMPLES = 100

/** Collects differences; only their counts and the first few sentences are kept. */
export class Findings {
  readonly kinds: Record<string, number> = {}
  readonly examples: string[] = []
  total = 0

  readonly add = (kind: string, sentence: string): void => {
    this.total++
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(`${kind}: ${sentence}`)
  }
}
