import { type CSSProperties, type ImgHTMLAttributes, useMemo, useState } from 'react'
import { thumbHashToDataURL } from 'thumbhash'

/** Colours without detail, to show where a picture will be. */
export function usePreview(thumbhash: string | undefined): CSSProperties {
  return useMemo(() => {
    if (!thumbhash) return {}
    const bytes = Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0))
    return { backgroundImage: `url(${thumbHashToDataURL(bytes)})` }
  }, [thumbhash])
}

type Props = ImgHTMLAttributes<HTMLImageElement> & {
  thumbhash: string | undefined
  /** Its text is given by those who use it. */
  alt: string
}

/** A picture that shows its preview until it has come, when it may be transparent, or is known to be lost. */
export function Previewed({ thumbhash, style, alt, onError, ...img }: Props) {
  const [isDone, setDone] = useState(false)
  const preview = usePreview(thumbhash)
  return (
    <img
      {...img}
      alt={alt}
      style={isDone ? style : { ...style, ...preview }}
      decoding="async"
      onLoad={() => setDone(true)}
      onError={(event) => {
        setDone(true)
        onError?.(event)
      }}
    />
  )
}
