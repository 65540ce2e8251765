import { describe, expect, test } from "vitest";
import { ORDER_FILE } from "../editor/order";
import { withDraft, withoutDraft } from "./files";

const made = { name: "FuseAdd.py", text: "drafted\n" };

describe("a drafted pass among the files", () => {
  test("goes last in the order", () => {
    const { files, name } = withDraft({ "A.py": "a", [ORDER_FILE]: '["A"]' }, made);
    expect(name).toBe("FuseAdd.py");
    expect(files).toEqual({ "A.py": "a", "FuseAdd.py": "drafted\n", [ORDER_FILE]: '["A","FuseAdd"]\n' });
  });

  test("takes a free name and overwrites nothing", () => {
    const { files, name } = withDraft({ "FuseAdd.py": "mine", [ORDER_FILE]: '["FuseAdd"]' }, made);
    expect(name).toBe("FuseAdd2.py");
    expect(files["FuseAdd.py"]).toBe("mine");
    expect(files[ORDER_FILE]).toBe('["FuseAdd","FuseAdd2"]\n');
  });

  test("leaves an order file alone that can not be read", () => {
    expect(withDraft({ [ORDER_FILE]: "[" }, made).files[ORDER_FILE]).toBe("[");
  });

  test("makes the order file where there is none", () => {
    expect(withDraft({}, made).files[ORDER_FILE]).toBe('["FuseAdd"]\n');
  });

  test("is taken out again, with its place in the order", () => {
    const before = { "A.py": "a", [ORDER_FILE]: '["A"]\n' };
    const { files, name } = withDraft(before, made);
    expect(withoutDraft(files, name, made.text)).toEqual(before);
  });

  test("stays once somebody has edited it", () => {
    const { files, name } = withDraft({}, made);
    expect(withoutDraft({ ...files, [name]: "better" }, name, made.text)).toBeNull();
  });
});
