export function violations(file: string, text: string, src: string): string[];
export function files(folder: string): string[];
