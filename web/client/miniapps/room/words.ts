/** `1 fault`, `2 faults` */
export const countOf = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`
