import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.Validator;
import org.apache.xerces.dom.DOMInputImpl;
import org.w3c.dom.ls.LSInput;
import org.w3c.dom.ls.LSResourceResolver;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

// Verdicts answers each line of its input with a line: "S path" compiles a schema,
// "D path" validates a document against the last one. An answer is
// "valid" or "invalid", the file and lowest line of the errors, and the message there,
// with tabs between them. Nothing is read from a network.
public class Verdicts {
    static class First implements ErrorHandler {
        String file = "", message = "";
        int line;

        void reset() {
            file = message = "";
            line = 0;
        }

        public void warning(SAXParseException e) {}

        public void error(SAXParseException e) {
            String from = e.getSystemId() == null ? "" : e.getSystemId();
            // Keys are checked at the end of the element that has them.
            if (message.isEmpty() || from.equals(file) && e.getLineNumber() < line) {
                file = from;
                line = e.getLineNumber();
                message = e.getMessage() == null ? "?" : e.getMessage();
            }
        }

        public void fatalError(SAXParseException e) throws SAXException {
            error(e);
            throw e;
        }
    }

    // Local returns an empty document for addresses on a network.
    static class Local implements LSResourceResolver {
        public LSInput resolveResource(String type, String space, String pub, String system, String base) {
            if (system == null || !(system.startsWith("http:") || system.startsWith("https:"))) {
                return null;
            }
            LSInput none = new DOMInputImpl(pub, system, base);
            none.setCharacterStream(new StringReader(""));
            return none;
        }
    }

    interface Action {
        void run() throws Exception;
    }

    static String verdict(First first, Action action) {
        first.reset();
        try {
            action.run();
        } catch (SAXParseException e) {
            first.error(e);
        } catch (Exception | StackOverflowError e) {
            if (first.message.isEmpty()) {
                first.message = e.toString();
            }
        }
        if (first.message.isEmpty()) {
            return "valid\t\t0\t";
        }
        String message = first.message.replaceAll("\\s+", " ");
        return "invalid\t" + first.file + "\t" + first.line + "\t" + message;
    }

    static Schema schema;

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ENGLISH);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        First first = new First();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            File file = new File(line.substring(2));
            if (line.startsWith("S ")) {
                schema = null;
                out.println(verdict(first, () -> {
                    org.apache.xerces.jaxp.validation.XMLSchemaFactory factory =
                        new org.apache.xerces.jaxp.validation.XMLSchemaFactory();
                    factory.setErrorHandler(first);
                    factory.setResourceResolver(new Local());
                    schema = factory.newSchema(new StreamSource(file));
                }));
            } else if (schema == null) {
                out.println("unknown\t\t0\tno schema");
            } else {
                out.println(verdict(first, () -> {
                    Validator validator = schema.newValidator();
                    validator.setErrorHandler(first);
                    validator.setResourceResolver(new Local());
                    validator.validate(new StreamSource(file));
                }));
            }
        }
    }
}
