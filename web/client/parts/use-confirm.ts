import { type MouseEvent, useState } from 'react'

/** For what should not happen by chance: the second press does it. The second click of a double click is none. */
export function useConfirm(act: () => void) {
  const [isAsked, setAsked] = useState(false)
  return {
    isAsked,
    buttonProps: {
      onBlur: () => setAsked(false),
      onClick: ({ detail }: MouseEvent) => {
        if (!isAsked) setAsked(true)
        else if (detail < 2) act()
      },
    },
  }
}
