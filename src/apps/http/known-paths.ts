export interface KnownPaths {
  add(pattern: string, methods: string | readonly string[]): void;
  allowed(url: string): string | undefined;
}

export function knownPaths(): KnownPaths {
  const known = new Map<string, { readonly shape: RegExp; readonly methods: Set<string> }>();
  return {
    add(pattern, methods) {
      if (pattern === '*' || pattern === '/*') return;
      const entry = known.get(pattern) ?? { shape: shapeOf(pattern), methods: new Set<string>() };
      for (const method of typeof methods === 'string' ? [methods] : methods) entry.methods.add(method);
      known.set(pattern, entry);
    },
    allowed(url) {
      const path = url.split(/[?#]/, 1)[0]!;
      const methods = new Set<string>();
      for (const entry of known.values())
        if (entry.shape.test(path)) for (const method of entry.methods) methods.add(method);
      return methods.size === 0 ? undefined : [...methods].sort().join(', ');
    },
  };
}

export const shapeOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/:[A-Za-z_]\w*/g, '[^/]+')}$`,
  );
