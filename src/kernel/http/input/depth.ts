/** Whether lists and objects stand in more than so many others. What walks a value by calling itself must not run out of stack. */
export function isDeeperThan(max: number, value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= max && level.length > 0; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one ? Object.values(one) : []))
  }
  return level.length > 0
}
