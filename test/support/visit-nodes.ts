export interface TreeNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Visits every node of a tree, the outer ones first. */
export function visitNodes(value: unknown, visit: (node: TreeNode) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as { readonly type?: unknown }).type === 'string') visit(value as TreeNode);
  for (const member of Object.values(value)) visitNodes(member, visit);
}
