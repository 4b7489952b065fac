import { useEffect, useRef, useState } from 'react'

/**
 * What is missing in a form is said at its fields once somebody has tried to send it: those are `aria-invalid`, and the first one
 * gets the focus.
 */
export function useTried() {
  const form = useRef<HTMLFormElement>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [tries])
  return { form, isTried: tries > 0, tryAgain: () => setTries((before) => before + 1) }
}
