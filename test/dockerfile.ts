/** One instruction of a Dockerfile, on one line. */
export type Instruction = { readonly keyword: string; readonly rest: string }

/** The instructions of each stage of a Dockerfile. */
export function stagesOf(text: string): Instruction[][] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, keyword, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (keyword === undefined || rest === undefined) throw new Error(`no instruction: ${line}`)
    if (keyword === 'FROM') stages.push([])
    stages.at(-1)!.push({ keyword, rest })
  }
  return stages
}
