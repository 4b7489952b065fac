import { useState } from 'react'
import { pictureUrl, type Width } from './picture-url.ts'

type Props = {
  url: string | null | undefined
  width: Width
  alt: string
  className?: string
  /** Shown when there is no picture. */
  fallback?: React.ReactNode
}

export function Picture({ url, width, alt, className, fallback = null }: Props) {
  const [failed, setFailed] = useState<string>()
  const src = pictureUrl(url, width)
  if (src === undefined || src === failed) return fallback
  return (
    <img
      className={className}
      src={src}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(src)}
    />
  )
}
