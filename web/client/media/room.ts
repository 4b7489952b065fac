import type { CSSProperties } from 'react'

/** Of a picture or video alone, in rem. */
const MAX_HEIGHT = 26

/**
 * The room of a picture or video alone: as large as it is, in what there is. What has no known size gets a frame of its own,
 * so that nothing moves when it comes, and is not made larger than it is.
 */
export const roomOf = (width = 0, height = 0): CSSProperties =>
  width && height
    ? {
        aspectRatio: `${width} / ${height}`,
        width: `min(100%, ${width}px, ${(MAX_HEIGHT * width) / height}rem)`,
      }
    : { aspectRatio: '3 / 2', width: '100%', objectFit: 'scale-down' }
