import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'

type Props = { url: string; plain: ReactNode }
const Plain = ({ plain }: Props) => plain
/** Without a connection the link alone is there. */
const LinkPreview = lazy<ComponentType<Props>>(() =>
  import('../act/link-preview.tsx').then(
    ({ LinkPreview }) => ({ default: LinkPreview }),
    () => ({ default: Plain }),
  ),
)

/** How far below the window a preview begins to load. */
const AHEAD = '300px'

/** What a link leads to, loaded when it comes into view, as pictures are. Until then, `plain`. */
export function LazyPreview({ url, plain }: { url: URL; plain: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: AHEAD },
    )
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place}>
      {isNear ? (
        <Suspense fallback={plain}>
          <LinkPreview url={url.href} plain={plain} />
        </Suspense>
      ) : (
        plain
      )}
    </div>
  )
}
