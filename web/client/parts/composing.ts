import type { KeyboardEvent } from 'react'

/** Whether a key belongs to the input method of who types: its Enter takes what is suggested there. Safari tells of it by the number alone. */
export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229
