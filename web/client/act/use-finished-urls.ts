import { useEffect, useState } from 'react'
import { urlAt, urlsIn } from './cast-draft.ts'

/** Somebody who types pauses for less between two keys. */
const REST_MS = 700

/**
 * Tells which addresses of a text are finished: pasted, without the caret at them, or left alone for a while. A preview
 * of any other one would tell strangers' servers what is being typed.
 */
export function useFinishedUrls(text: string, caret: number) {
  const [rested, setRested] = useState<readonly string[]>([])
  const [pasted, setPasted] = useState<readonly string[]>([])
  useEffect(() => {
    const timer = setTimeout(() => setRested(urlsIn(text)), REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  const typed = urlAt(text, caret)
  return {
    isFinished: (url: string) => url !== typed || pasted.includes(url) || rested.includes(url),
    paste: (clip: string) => setPasted(urlsIn(clip)),
  }
}
