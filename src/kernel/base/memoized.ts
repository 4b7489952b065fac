/** Remembers the result for the last argument. */
export function memoized<A, R>(make: (argument: A) => R): (argument: A) => R {
  let last: { readonly argument: A; readonly result: R } | undefined
  return (argument) => {
    if (last === undefined || last.argument !== argument)
      last = { argument, result: make(argument) }
    return last.result
  }
}
